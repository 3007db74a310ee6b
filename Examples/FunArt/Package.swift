// swift-tools-version: 6.2

import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "carillon") }

let swiftSettings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

var targets: [Target] = [
    // What is on the screens and what a person can do there; it knows neither the SDK nor a user interface.
    .target(name: "FunArt", swiftSettings: swiftSettings),
    // The app for iPhones: the screens' services at a Carillon server, the delegate, and the views in SwiftUI.
    .target(
        name: "FunArtApp",
        dependencies: ["FunArt", product("CarillonSDK"), product("CarillonAccounts"), product("CarillonContent")],
        swiftSettings: swiftSettings
    ),
]

#if os(Linux)
// The same screens as pages for a browser, which shows a simulated phone, and the sample data.
targets.append(
    .executableTarget(
        name: "FunArtWeb",
        dependencies: [
            "FunArt", "FunArtApp", product("CarillonSDK"), product("CarillonTestKit"),
            .product(name: "Hummingbird", package: "hummingbird"),
            .product(name: "Mustache", package: "swift-mustache"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        resources: [.copy("Resources")],
        swiftSettings: swiftSettings
    )
)
#endif

/// 瘋藝文: arts events, the bus stops near them, and when the next bus comes.
let package = Package(
    name: "FunArt",
    platforms: [.iOS(.v15), .macOS(.v15)],
    dependencies: [
        // An app of your own writes the address of its copy of Carillon here, with a version.
        .package(name: "carillon", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: targets
)
