// swift-tools-version: 6.2

import PackageDescription

let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
    // libFuzzer brings `main`.
    .unsafeFlags(["-parse-as-library"]),
]

/// What a fuzzer drives.
///
/// A package of its own, because all of it, dependencies too, is built with the fuzzer's instruments: see `script/fuzz`.
/// `Sources/ConnectionFuzzer/Model` is a link to the model of the property tests, and `Sources/FormFuzzer/Forms` one to the
/// server's forms, which need no module.
let package = Package(
    name: "fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "carillon", path: "..", traits: ["Server"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    ],
    targets: [
        .executableTarget(
            name: "ConnectionFuzzer",
            dependencies: [
                .product(name: "ApplePush", package: "carillon"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
            ],
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "AudienceFuzzer",
            dependencies: [.product(name: "CarillonOperatorModel", package: "carillon")],
            swiftSettings: swiftSettings
        ),
        .executableTarget(name: "FormFuzzer", swiftSettings: swiftSettings),
        .executableTarget(
            name: "ContentFuzzer",
            dependencies: [.product(name: "CarillonContentSets", package: "carillon")],
            swiftSettings: swiftSettings
        ),
    ]
)
