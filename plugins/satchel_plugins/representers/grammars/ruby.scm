; Ruby
(method) @method
(singleton_method) @method
(comment) @comment
(class name: (_)) @class
(module name: (_)) @module
(alias name: (_)) @property
(assignment left: (constant)) @constant
(assignment left: (scope_resolution)) @constant
(assignment left: (identifier) right: (lambda)) @function
(call !receiver method: (identifier) arguments: (argument_list)) @called
(call arguments: (argument_list . (string)) block: (do_block)) @callback
(call arguments: (argument_list . (simple_symbol)) block: (do_block)) @callback
(call method: (identifier) @ref)
(superclass [(constant) @ref (scope_resolution name: (constant) @ref)])
(call receiver: (constant) @ref)
(call arguments: (argument_list (constant) @ref))
