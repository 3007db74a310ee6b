import PackageDescription

func product() -> Target.Dependency {
// BLOCK
}
