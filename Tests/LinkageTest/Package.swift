// swift-tools-version: 6.2

import PackageDescription

func target(_ name: String, _ product: String) -> Target {
    .target(
        name: name,
        dependencies: [.product(name: product, package: "carillon")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    )
}

/// Apps' packages, as far as it matters: one uses the product `CarillonSDK` and nothing else, the others one more each.
let package = Package(
    name: "LinkageTest",
    platforms: [.iOS(.v15), .macOS(.v15)],
    dependencies: [.package(name: "carillon", path: "../..")],
    targets: [
        .executableTarget(
            name: "LinkageTest",
            dependencies: [.product(name: "CarillonSDK", package: "carillon")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        target("UsesServiceExtension", "CarillonServiceExtension"),
        target("UsesCalls", "CarillonCalls"),
        target("UsesLocation", "CarillonLocation"),
        target("UsesAccounts", "CarillonAccounts"),
        target("UsesContent", "CarillonContent"),
        target("UsesPages", "CarillonPages"),
        target("UsesToastVoIP", "ToastVoIP"),
        target("UsesCorePushLocation", "CorePushLocation"),
        target("UsesCoim", "Coim"),
    ]
)
