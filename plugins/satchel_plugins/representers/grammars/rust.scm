; Rust
(function_item) @function
(function_signature_item) @prototype
(struct_item) @struct
(union_item) @union
(enum_item) @enum
(trait_item) @trait
(impl_item) @impl
(mod_item) @module
(macro_definition) @macro
(const_item) @constant
(static_item) @constant
(type_item) @type
(associated_type) @type
(use_declaration) @import
(extern_crate_declaration) @import
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
(let_declaration pattern: (identifier) value: (closure_expression)) @function
(macro_invocation (token_tree) @embedded)
(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (field_identifier) @ref))
(call_expression function: (scoped_identifier name: (identifier) @ref))
(call_expression function: (generic_function function: (identifier) @ref))
(macro_invocation macro: (identifier) @ref)
(type_identifier) @ref
