; Go
(function_declaration) @function
(method_declaration) @method
(type_alias) @type
(type_declaration . (type_spec) .) @wrap
(type_declaration . (type_alias) .) @wrap
(method_elem) @prototype
(import_declaration) @import
(package_clause) @import
(comment) @comment
(type_spec type: (struct_type)) @struct
(type_spec type: (interface_type)) @interface
(type_spec) @type
(source_file (const_declaration (const_spec) @constant))
(source_file (var_declaration (var_spec) @variable))
(source_file (var_declaration (var_spec_list (var_spec) @variable)))
(short_var_declaration left: (expression_list . (identifier) .)
  right: (expression_list . (func_literal) .)) @function
(call_expression arguments: (argument_list . (interpreted_string_literal) (func_literal))) @callback
(call_expression arguments: (argument_list . (raw_string_literal) (func_literal))) @callback
(call_expression function: (identifier) @ref)
(call_expression function: (selector_expression field: (field_identifier) @ref))
(type_identifier) @ref
