// swift-tools-version: 6.2

import PackageDescription

/// The smallest app that uses Carillon; it compiles on Linux too, against simulated frameworks of Apple's.
let package = Package(
    name: "CarillonExamples",
    platforms: [.iOS(.v15), .macOS(.v15)],
    dependencies: [
        // An app of your own writes the address of its copy of Carillon here, with a version.
        .package(name: "carillon", path: "..", traits: [])
    ],
    targets: [
        .target(
            name: "Example",
            dependencies: [.product(name: "CarillonSDK", package: "carillon")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
        .target(
            name: "ExampleNotificationService",
            dependencies: [.product(name: "CarillonSDK", package: "carillon")],
            swiftSettings: [.swiftLanguageMode(.v6)]
        ),
    ]
)
