; C++ beside what it shares with C
(namespace_definition) @namespace
(alias_declaration) @type
(concept_definition) @type
(namespace_alias_definition) @type
(template_declaration) @wrap
(class_specifier name: (_) body: (_)) @class
(declaration declarator: [(reference_declarator (function_declarator)) (operator_cast)]) @prototype
(field_declaration declarator: [(function_declarator) (reference_declarator (function_declarator))
  (pointer_declarator declarator: (function_declarator))]) @prototype
(init_declarator value: (lambda_expression)) @function
(declaration_list (declaration declarator: (init_declarator)) @variable)
(call_expression function: (qualified_identifier name: (identifier) @ref))
(call_expression function: (template_function name: (identifier) @ref))
(using_declaration) @import
