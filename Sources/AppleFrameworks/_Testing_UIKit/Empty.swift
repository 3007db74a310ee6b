// `import Testing` looks for a module with this name when there is one named `UIKit`; it has nothing to add.
