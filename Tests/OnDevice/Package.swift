// swift-tools-version: 6.2

import PackageDescription

func sdk(_ product: String) -> Target.Dependency { .product(name: product, package: "carillon") }

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// Compiles the app, the extension and the SDK for iOS without a project and without signing.
///
/// `UITests` is no target here: a package has no UI tests. They belong to the project that README.md describes.
let package = Package(
    name: "OnDevice",
    platforms: [.iOS(.v15), .macOS(.v15)],
    products: [
        .library(name: "OnDeviceApp", targets: ["OnDeviceApp"]),
        .library(name: "OnDeviceExtension", targets: ["OnDeviceExtension"]),
    ],
    dependencies: [.package(name: "carillon", path: "../..")],
    targets: [
        .target(
            name: "OnDeviceApp",
            dependencies: [sdk("CarillonSDK"), sdk("CarillonCalls"), sdk("CarillonPages")],
            path: "App",
            swiftSettings: swiftSettings
        ),
        .target(
            name: "OnDeviceExtension",
            dependencies: [sdk("CarillonServiceExtension")],
            path: "Extension",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PackageTests",
            dependencies: [sdk("CarillonSDK")],
            path: "PackageTests",
            swiftSettings: swiftSettings
        ),
    ]
)
