; Shell
(function_definition) @function
(comment) @comment
(command name: (command_name) argument: (_)) @called
(program (variable_assignment) @variable)
(program (declaration_command (variable_assignment) @variable))
(command name: (command_name (word) @ref))
