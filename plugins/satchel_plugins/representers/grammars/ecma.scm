; JavaScript and TypeScript
(function_declaration) @function
(generator_function_declaration) @function
(class_declaration) @class
(method_definition) @method
(import_statement) @import
(comment) @comment
(export_statement declaration: (_)) @wrap
(export_statement value: [(function_expression) (arrow_function) (generator_function) (class)] @default) @wrap
(variable_declarator name: (identifier) value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier)) @variable))
(program (variable_declaration (variable_declarator name: (identifier)) @variable))
(program (export_statement declaration:
  (lexical_declaration (variable_declarator name: (identifier)) @variable)))
(program (export_statement declaration:
  (variable_declaration (variable_declarator name: (identifier)) @variable)))
(assignment_expression left: [(identifier) (member_expression) (subscript_expression)]
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: [(identifier) (member_expression)] right: (class)) @class
(assignment_expression left: (member_expression) right: (assignment_expression right: [(arrow_function) (function_expression) (generator_function)])) @function
(program (expression_statement (assignment_expression left: (member_expression) right: (object)) @object))
(function_expression name: (identifier)) @function
(pair key: (_) value: [(arrow_function) (function_expression) (generator_function)]) @function
(program (_ (variable_declarator value: (call_expression function: (identifier)) @called)))
(program (expression_statement (call_expression function: (identifier)) @called))
(call_expression arguments: (arguments . (string) [(arrow_function) (function_expression)])) @callback
(call_expression arguments: (arguments . (template_string) [(arrow_function) (function_expression)])) @callback
(call_expression arguments: (arguments . (member_expression) [(arrow_function) (function_expression)])) @callback
(program (_ (variable_declarator name: (identifier) value: (call_expression
  arguments: (arguments [(arrow_function) (function_expression)])))) @callback)
(program (export_statement declaration: (_ (variable_declarator name: (identifier) value: (call_expression
  arguments: (arguments [(arrow_function) (function_expression)]))) @callback)))
(call_expression function: (identifier) @ref)
(call_expression function: (member_expression property: (property_identifier) @ref))
(new_expression constructor: (identifier) @ref)
(new_expression constructor: (member_expression property: (property_identifier) @ref))
