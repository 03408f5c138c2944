; TypeScript beside what it shares with JavaScript
(function_signature) @prototype
(method_signature) @prototype
(abstract_method_signature) @prototype
(abstract_class_declaration) @class
(interface_declaration) @interface
(type_alias_declaration) @type
(enum_declaration) @enum
(decorator) @attribute
(ambient_declaration) @wrap
(ambient_declaration (variable_declaration (variable_declarator) @variable))
(ambient_declaration (lexical_declaration (variable_declarator) @variable))
(public_field_definition name: (_) value: [(arrow_function) (function_expression) (generator_function)]) @function
(module name: (_)) @module
(internal_module name: (_)) @namespace
(type_identifier) @ref
(class_heritage (extends_clause value: (identifier) @ref))
