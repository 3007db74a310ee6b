// swift-tools-version: 6.2

import PackageDescription

/// What the SDK adds to an app: the same program with it and without it.
let package = Package(
    name: "sdk-benchmarks",
    platforms: [.iOS(.v15), .macOS(.v15)],
    dependencies: [.package(name: "carillon", path: "../..")],
    targets: [
        .executableTarget(
            name: "WithSDK",
            dependencies: [.product(name: "CarillonSDK", package: "carillon")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .executableTarget(name: "WithoutSDK", swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
