"""Tables for C, C++, Rust and Go."""

from __future__ import annotations

from satchel_plugins.representers.queries import Grammar

_C_FAMILY = """
(declaration declarator: (function_declarator)) @prototype
(declaration declarator: (pointer_declarator declarator: (function_declarator))) @prototype
(declaration declarator: (pointer_declarator
  declarator: (pointer_declarator declarator: (function_declarator)))) @prototype
(struct_specifier name: (_) body: (_)) @struct
(union_specifier name: (_) body: (_)) @union
(enum_specifier name: (_) body: (_)) @enum
(type_definition declarator: (_)) @typedef
(translation_unit (declaration declarator: (init_declarator)) @variable)
(translation_unit (declaration declarator: (identifier)) @variable)
(translation_unit (declaration declarator: (pointer_declarator declarator: (identifier))) @variable)
(translation_unit (declaration declarator: (array_declarator)) @variable)
(preproc_ifdef (declaration declarator: (init_declarator)) @variable)
(preproc_if (declaration declarator: (init_declarator)) @variable)
(ERROR (function_declarator declarator: (_) parameters: (_)) @broken)
(ERROR (pointer_declarator (function_declarator) @broken))
(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (field_identifier) @ref))
(type_identifier) @ref
"""

_C_TYPES = {
    "function_definition": "function",
    "preproc_function_def": "macro",
    "preproc_def": "macro",
    "preproc_include": "import",
    "comment": "comment",
}

C = Grammar(module="tree_sitter_c", definitions=_C_TYPES, patterns=_C_FAMILY, preprocessed=True)

CPP = Grammar(
    module="tree_sitter_cpp",
    preprocessed=True,
    definitions=_C_TYPES
    | {
        "namespace_definition": "namespace",
        "alias_declaration": "type",
        "concept_definition": "type",
        "namespace_alias_definition": "type",
        "template_declaration": "wrap",
    },
    patterns=f"""{_C_FAMILY}
    (class_specifier name: (_) body: (_)) @class
    (declaration declarator: (reference_declarator (function_declarator))) @prototype
    (declaration declarator: (operator_cast)) @prototype
    (field_declaration declarator: (function_declarator)) @prototype
    (field_declaration declarator: (pointer_declarator declarator: (function_declarator))) @prototype
    (field_declaration declarator: (reference_declarator (function_declarator))) @prototype
    (init_declarator value: (lambda_expression)) @function
    (declaration_list (declaration declarator: (init_declarator)) @variable)
    (call_expression function: (qualified_identifier name: (identifier) @ref))
    (call_expression function: (template_function name: (identifier) @ref))
    (using_declaration) @import
    """,
)

RUST = Grammar(
    module="tree_sitter_rust",
    definitions={
        "function_item": "function",
        "function_signature_item": "prototype",
        "struct_item": "struct",
        "union_item": "union",
        "enum_item": "enum",
        "trait_item": "trait",
        "impl_item": "impl",
        "mod_item": "module",
        "macro_definition": "macro",
        "const_item": "constant",
        "static_item": "constant",
        "type_item": "type",
        "associated_type": "type",
        "use_declaration": "import",
        "extern_crate_declaration": "import",
        "attribute_item": "attribute",
        "line_comment": "comment",
        "block_comment": "comment",
    },
    patterns="""
    (let_declaration pattern: (identifier) value: (closure_expression)) @function
    (macro_invocation (token_tree) @embedded)
    (call_expression function: (identifier) @ref)
    (call_expression function: (field_expression field: (field_identifier) @ref))
    (call_expression function: (scoped_identifier name: (identifier) @ref))
    (call_expression function: (generic_function function: (identifier) @ref))
    (macro_invocation macro: (identifier) @ref)
    (type_identifier) @ref
    """,
)

GO = Grammar(
    module="tree_sitter_go",
    definitions={
        "function_declaration": "function",
        "method_declaration": "method",
        "type_alias": "type",
        "method_elem": "prototype",
        "import_declaration": "import",
        "package_clause": "import",
        "comment": "comment",
    },
    patterns="""
    (type_spec type: (struct_type)) @struct
    (type_spec type: (interface_type)) @interface
    (type_spec) @type
    (source_file (const_declaration (const_spec) @constant))
    (source_file (var_declaration (var_spec) @variable))
    (source_file (var_declaration (var_spec_list (var_spec) @variable)))
    (short_var_declaration left: (expression_list . (identifier) .)
      right: (expression_list . (func_literal) .)) @function
    (call_expression function: (identifier) @ref)
    (call_expression function: (selector_expression field: (field_identifier) @ref))
    (type_identifier) @ref
    """,
)
