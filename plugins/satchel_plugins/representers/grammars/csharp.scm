; C#
(class_declaration) @class
(struct_declaration) @struct
(interface_declaration) @interface
(enum_declaration) @enum
(record_declaration) @record
(delegate_declaration) @type
(method_declaration) @method
(constructor_declaration) @constructor
(destructor_declaration) @method
(operator_declaration) @method
(conversion_operator_declaration) @method
(indexer_declaration) @property
(property_declaration) @property
(event_declaration) @event
(event_field_declaration) @event
(local_function_statement) @function
(namespace_declaration) @namespace
(file_scoped_namespace_declaration) @namespace
(using_directive) @import
(extern_alias_directive) @import
(comment) @comment
(variable_declarator name: (identifier) (lambda_expression)) @function
(invocation_expression arguments: (argument_list . (argument (string_literal))
  (argument (lambda_expression)))) @callback
(invocation_expression function: (identifier) @ref)
(invocation_expression function: (member_access_expression name: (identifier) @ref))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @ref)))
(invocation_expression function: (generic_name (identifier) @ref))
(object_creation_expression type: (identifier) @ref)
(object_creation_expression type: (generic_name (identifier) @ref))
(base_list (identifier) @ref)
(base_list (generic_name (identifier) @ref))
(parameter type: (identifier) @ref)
(method_declaration returns: (identifier) @ref)
(property_declaration type: (identifier) @ref)
(variable_declaration type: (identifier) @ref)
(attribute name: (identifier) @ref)
(type_argument_list (identifier) @ref)
