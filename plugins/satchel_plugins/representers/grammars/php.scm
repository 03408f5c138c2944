; PHP
(function_definition) @function
(method_declaration) @method
(class_declaration) @class
(interface_declaration) @interface
(trait_declaration) @trait
(enum_declaration) @enum
(namespace_use_declaration) @import
(comment) @comment
(namespace_definition body: (_)) @namespace
(namespace_definition !body) @import
(const_declaration) @constant
(assignment_expression left: (variable_name) right: [(anonymous_function) (arrow_function)]) @function
(property_declaration (property_hook_list)) @property
(expression_statement (function_call_expression function: (name)) @called)
(program (expression_statement [(require_expression) (require_once_expression) (include_expression)
  (include_once_expression)]) @import)
(function_call_expression arguments: (arguments . (argument (string))
  (argument [(anonymous_function) (arrow_function)]))) @callback
(scoped_call_expression arguments: (arguments . (argument (string))
  (argument [(anonymous_function) (arrow_function)]))) @callback
(member_call_expression arguments: (arguments . (argument (string))
  (argument [(anonymous_function) (arrow_function)]))) @callback
(function_call_expression function: [(name) @ref (qualified_name (name) @ref)])
(member_call_expression name: (name) @ref)
(nullsafe_member_call_expression name: (name) @ref)
(scoped_call_expression name: (name) @ref)
(scoped_call_expression scope: (name) @ref)
(object_creation_expression [(name) @ref (qualified_name (name) @ref)])
(named_type [(name) @ref (qualified_name (name) @ref)])
(base_clause [(name) @ref (qualified_name (name) @ref)])
(class_interface_clause [(name) @ref (qualified_name (name) @ref)])
