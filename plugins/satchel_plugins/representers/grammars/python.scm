; Python
(function_definition) @function
(class_definition) @class
(type_alias_statement) @type
(decorated_definition) @wrap
(import_statement) @import
(import_from_statement) @import
(future_import_statement) @import
(comment) @comment
(module (expression_statement (assignment left: (identifier)) @variable))
(module (expression_statement (assignment left: (pattern_list)) @variable))
(module (if_statement (block (expression_statement (assignment left: (identifier)) @variable))))
(module (if_statement (else_clause (block (expression_statement
  (assignment left: (identifier)) @variable)))))
(module (try_statement (block (expression_statement (assignment left: (identifier)) @variable))))
(module (try_statement (except_clause (block (expression_statement
  (assignment left: (identifier)) @variable)))))
(assignment left: (identifier) right: (lambda)) @function
(call function: (identifier) @ref)
(call function: (attribute attribute: (identifier) @ref))
(class_definition superclasses: (argument_list (identifier) @ref))
(class_definition superclasses: (argument_list (attribute attribute: (identifier) @ref)))
(type (identifier) @ref)
(type (attribute attribute: (identifier) @ref))
(generic_type (identifier) @ref)
(type (subscript value: (identifier) @ref))
(type (binary_operator (identifier) @ref))
(decorator (identifier) @ref)
(decorator (attribute attribute: (identifier) @ref))
(except_clause (identifier) @ref)
