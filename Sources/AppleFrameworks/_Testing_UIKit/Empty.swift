// `import Testing` looks for a module of this name wherever it finds one named `UIKit`; there is nothing to add.
