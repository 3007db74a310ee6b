// swift-tools-version: 6.2

import PackageDescription

let sdk = Target.Dependency.product(name: "CarillonSDK", package: "carillon")

var targets: [Target] = [
    // An app that uses Carillon's own SDK, and its service extension.
    .target(name: "Example", dependencies: [sdk], swiftSettings: [.swiftLanguageMode(.v6)]),
    .target(name: "ExampleNotificationService", dependencies: [sdk], swiftSettings: [.swiftLanguageMode(.v6)]),
    // The samples of the vendors' own guides, in Swift: nothing but the import is Carillon's.
    .target(
        name: "ToastPushSamples",
        dependencies: [.product(name: "ToastPush", package: "carillon")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .target(
        name: "CorePushSamples",
        dependencies: [.product(name: "CorePush", package: "carillon")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    ),
]

#if os(Linux)
// `swift run Tour`: all of them on simulated phones, step by step, without Apple and without a network.
targets.append(
    .executableTarget(
        name: "Tour",
        dependencies: [
            "Example", "ExampleNotificationService", "ToastPushSamples", "CorePushSamples", sdk,
            .product(name: "ToastPush", package: "carillon"), .product(name: "CorePush", package: "carillon"),
            .product(name: "CarillonTestKit", package: "carillon"),
        ],
        swiftSettings: [.swiftLanguageMode(.v6)]
    )
)
#endif

/// Small apps that use Carillon; they compile on Linux too, against simulated frameworks of Apple's.
let package = Package(
    name: "CarillonExamples",
    platforms: [.iOS(.v15), .macOS(.v15)],
    dependencies: [
        // An app of your own writes the address of its copy of Carillon here, with a version.
        .package(name: "carillon", path: "..")
    ],
    targets: targets
)
