import PackageDescription

func dependency() -> Package.Dependency {
// BLOCK
}
