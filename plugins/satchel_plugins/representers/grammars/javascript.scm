; JavaScript beside what it shares with TypeScript
(decorator) @attribute
(field_definition property: (_) value: [(arrow_function) (function_expression) (generator_function)]) @function
(class_heritage (identifier) @ref)
(class_heritage (member_expression property: (property_identifier) @ref))
