// swift-tools-version: 6.2

import PackageDescription

/// An app's package, as far as it matters: it uses the product `CarillonSDK` and nothing else.
let package = Package(
    name: "LinkageTest",
    platforms: [.iOS(.v15), .macOS(.v15)],
    dependencies: [.package(name: "carillon", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "LinkageTest",
            dependencies: [.product(name: "CarillonSDK", package: "carillon")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        )
    ]
)
