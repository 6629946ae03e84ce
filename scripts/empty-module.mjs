// Stands in for react-devtools-core in the bundle: a development tool that Ink imports and the product never uses.
export default {};
