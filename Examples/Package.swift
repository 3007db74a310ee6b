// swift-tools-version: 6.2

import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "carillon") }

let sdk = product("CarillonSDK")

var targets: [Target] = [
    // An app that uses Carillon's own SDK, and its service extension.
    .target(
        name: "Example",
        dependencies: [sdk, product("CarillonCalls"), product("CarillonPages")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .target(
        name: "ExampleNotificationService",
        dependencies: [product("CarillonServiceExtension")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    // The same with scenes, and with SwiftUI, which Linux does not have.
    .target(name: "SceneExample", dependencies: [sdk], swiftSettings: [.swiftLanguageMode(.v6)]),
    .target(name: "SwiftUIExample", dependencies: ["Example", sdk], swiftSettings: [.swiftLanguageMode(.v6)]),
    // The samples of the vendors' own guides, in Swift: nothing but the import is Carillon's.
    .target(
        name: "ToastPushSamples",
        dependencies: [product("ToastPush"), product("ToastVoIP")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .target(
        name: "CorePushSamples",
        dependencies: [sdk, product("CorePush"), product("CorePushLocation")],
        swiftSettings: [.swiftLanguageMode(.v6)]
    ),
    .target(name: "CoimSamples", dependencies: [product("Coim")], swiftSettings: [.swiftLanguageMode(.v6)]),
]

#if os(Linux)
// `swift run Tour`: all of them on simulated phones, step by step, without Apple and without a network.
targets.append(
    .executableTarget(
        name: "Tour",
        dependencies: [
            "Example", "ExampleNotificationService", "SceneExample", "ToastPushSamples", "CorePushSamples", sdk,
            product("ToastPush"), product("CorePush"), product("CarillonTestKit"),
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
