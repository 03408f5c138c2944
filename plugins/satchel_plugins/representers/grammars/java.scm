; Java
(class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(record_declaration) @record
(annotation_type_declaration) @annotation
(method_declaration) @method
(constructor_declaration) @constructor
(compact_constructor_declaration) @constructor
(annotation_type_element_declaration) @prototype
(module_declaration) @module
(import_declaration) @import
(package_declaration) @import
(line_comment) @comment
(block_comment) @comment
(variable_declarator name: (identifier) value: (lambda_expression)) @function
(method_invocation name: (identifier) @ref)
(method_invocation object: (identifier) @ref)
(method_reference (identifier) @ref)
(annotation name: (identifier) @ref)
(marker_annotation name: (identifier) @ref)
(type_identifier) @ref
