; C and C++
(function_definition) @function
(preproc_function_def) @macro
(preproc_def) @macro
(preproc_include) @import
(comment) @comment
(declaration declarator: [(function_declarator) (pointer_declarator declarator: [(function_declarator)
  (pointer_declarator declarator: (function_declarator))])]) @prototype
(struct_specifier name: (_) body: (_)) @struct
(union_specifier name: (_) body: (_)) @union
(enum_specifier name: (_) body: (_)) @enum
(type_definition declarator: (_)) @typedef
(translation_unit (declaration declarator: [(init_declarator) (identifier) (array_declarator)
  (pointer_declarator declarator: (identifier))]) @variable)
[(preproc_ifdef (declaration declarator: (init_declarator)) @variable)
  (preproc_if (declaration declarator: (init_declarator)) @variable)]
(ERROR (function_declarator declarator: (_) parameters: (_)) @broken)
(ERROR (pointer_declarator (function_declarator) @broken))
(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (field_identifier) @ref))
(type_identifier) @ref
