// swift-tools-version: 6.2

import PackageDescription

// MARK: - What every target shares

/// With `CARILLON_STRICT` in the environment, as `script/test` builds: a warning of the next compiler or SDK must not break the
/// build of an app that has this package in a folder of its own.
let strictSettings: [SwiftSetting] =
    Context.environment["CARILLON_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

let swiftSettings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + strictSettings

/// A product of others, for the trait that needs it.
///
/// `Push` and `Simulator` are those of two libraries, and `Server` enables them. What no enabled trait needs is not even
/// downloaded.
func product(_ name: String, _ package: String, for trait: String = "Server") -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// The client of APNs.
let push = "Push"
/// The simulator of APNs.
let simulator = "Simulator"

let asn1 = product("SwiftASN1", "swift-asn1", for: simulator)
let crypto = product("Crypto", "swift-crypto", for: push)
/// scrypt, for passwords.
let cryptoExtras = product("CryptoExtras", "swift-crypto")
let httpTypes = product("HTTPTypes", "swift-http-types", for: simulator)
let hummingbird = product("Hummingbird", "hummingbird", for: simulator)
/// Signatures of identity providers.
let jwtKit = product("JWTKit", "jwt-kit")
/// The locks of the server's side: unlike `Synchronization.Mutex`, the thread sanitizer sees them on Linux.
let locks = product("NIOConcurrencyHelpers", "swift-nio", for: push)
let nioCore = product("NIOCore", "swift-nio", for: push)
let nioHPACK = product("NIOHPACK", "swift-nio-http2", for: push)
let nioHTTP1 = product("NIOHTTP1", "swift-nio", for: push)
let nioHTTP2 = product("NIOHTTP2", "swift-nio-http2", for: push)
let nioPosix = product("NIOPosix", "swift-nio", for: push)
let nioSSL = product("NIOSSL", "swift-nio-ssl", for: push)
let nioTLS = product("NIOTLS", "swift-nio", for: push)
let logging = product("Logging", "swift-log", for: push)
let metrics = product("CoreMetrics", "swift-metrics")
let mustache = product("Mustache", "swift-mustache")
let protobuf = product("SwiftProtobuf", "swift-protobuf")
let serviceLifecycle = product("ServiceLifecycle", "swift-service-lifecycle", for: simulator)
let tracing = product("Tracing", "swift-distributed-tracing")
let x509 = product("X509", "swift-certificates", for: simulator)

// MARK: - Layers: a target imports only from layers below its own

/// Layer 1: vocabulary, and other libraries; beneath it, what has no vocabulary.
var targets: [Target] = [
    // Columns of batches, hexadecimal, base64url: what the model, the client of APNs and its simulator share.
    .target(name: "CarillonBytes", swiftSettings: swiftSettings),
    .target(name: "CarillonModel", dependencies: ["CarillonBytes"], swiftSettings: swiftSettings),
    .target(name: "ApplePush", dependencies: ["CarillonBytes", crypto], swiftSettings: swiftSettings),
    // Why a store refuses: what its callers and the database library both say.
    .target(name: "StoreErrors", swiftSettings: swiftSettings),
    .systemLibrary(
        name: "CNghttp2",
        pkgConfig: "libnghttp2",
        providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]
    ),
    .systemLibrary(
        name: "CLibpq",
        pkgConfig: "libpq",
        providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .systemLibrary(
        name: "CZlib",
        pkgConfig: "zlib",
        providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .systemLibrary(
        name: "CZip",
        pkgConfig: "libzip",
        providers: [.apt(["libzip-dev"]), .brew(["libzip"])]
    ),
    .systemLibrary(
        name: "CQRCode",
        pkgConfig: "libqrencode",
        providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]
    ),
]

/// Layer 2: targets that know one domain each.
targets += [
    // Files of others: gzip, tables and JSON, read part by part.
    .target(name: "CarillonReaders", dependencies: ["CarillonModel", "CZlib"], swiftSettings: swiftSettings),
    // What apps say about accounts; apart from CarillonModel because few apps have them.
    .target(name: "CarillonAccountModel", dependencies: ["CarillonModel"], swiftSettings: swiftSettings),
    // Databases, whatever is kept in them.
    .target(
        name: "CarillonSQL",
        dependencies: [
            "CLibpq", "StoreErrors", product("GRDB", "GRDB.swift"), product("GRDBSQLite", "GRDB.swift"), locks,
            serviceLifecycle,
        ],
        swiftSettings: swiftSettings
    ),
    // Accounts of identity providers, whoever signs in with them.
    .target(
        name: "OpenIDConnect",
        dependencies: [
            "CarillonBytes", product("AsyncHTTPClient", "async-http-client"), crypto, jwtKit, nioCore, nioHTTP1,
            nioPosix,
            nioSSL,
        ],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "ApplePushConnection",
        dependencies: [
            "ApplePush", "CarillonBytes", nioCore, nioPosix, nioSSL, nioHTTP1, nioTLS, nioHPACK, nioHTTP2, locks,
            logging,
        ],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "ApplePushSimulator",
        dependencies: [
            "CarillonBytes", "CNghttp2", locks, nioCore, nioPosix, nioSSL, nioTLS, hummingbird, httpTypes, crypto,
            x509, asn1, logging, serviceLifecycle,
        ],
        // In the binary itself, so that it can be copied alone.
        resources: [
            .embedInCode("Resources/openapi.yaml"), .embedInCode("Resources/page.css"),
            .embedInCode("Resources/page.js"), .embedInCode("Resources/page.svg"),
        ],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "Carillon",
        dependencies: ["CarillonModel"] + simulatedFrameworks(["UserNotifications", "UIKit"]),
        resources: [.copy("PrivacyInfo.xcprivacy")],
        swiftSettings: swiftSettings
    ),
]

/// Layer 3: vocabulary of the server's users.
targets += [
    // Apart from CarillonModel, which every app links: an app has no use for what operators and back ends say.
    .target(
        name: "CarillonOperatorModel",
        dependencies: ["CarillonAccountModel", "CarillonModel"],
        swiftSettings: swiftSettings
    )
]

/// Layer 4: targets that build on one other.
targets += [
    .target(
        name: "CarillonEngine",
        dependencies: [
            "CarillonAccountModel", "CarillonBytes", "CarillonModel", "CarillonOperatorModel", "CarillonReaders",
            "StoreErrors", locks, crypto, cryptoExtras, logging, serviceLifecycle, tracing,
        ],
        swiftSettings: swiftSettings
    ),
    // Files of other services: bytes in, Devices and refusals out.
    .target(
        name: "CarillonImporters",
        dependencies: ["CarillonBytes", "CarillonModel", "CarillonOperatorModel", "CarillonReaders"],
        swiftSettings: swiftSettings
    ),
    // Public data of an App: what it looks like, how it is searched, and what of it is in files of others.
    .target(
        name: "CarillonContentSets",
        dependencies: ["CarillonModel", "CarillonReaders", "StoreErrors", "CZip", protobuf, locks],
        exclude: ["GTFS/Realtime/gtfs-realtime.proto"],
        swiftSettings: swiftSettings
    ),
    // Apart from Carillon: an app links the frameworks of what it uses, and no others.
    .target(
        name: "CarillonServiceExtension",
        dependencies: ["Carillon", "CarillonModel"] + simulatedFrameworks(["UserNotifications"]),
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonCalls",
        dependencies: ["Carillon", "CarillonModel"] + simulatedFrameworks(["UIKit", "PushKit", "CallKit"]),
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonAccounts",
        dependencies: ["Carillon", "CarillonAccountModel", "CarillonModel"]
            + simulatedFrameworks(["UIKit", "UserNotifications"]),
        resources: [.copy("PrivacyInfo.xcprivacy")],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonContent",
        dependencies: ["Carillon", "CarillonModel"] + simulatedFrameworks(["UIKit", "UserNotifications"]),
        resources: [.copy("PrivacyInfo.xcprivacy")],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonLocation",
        dependencies: ["Carillon", "CarillonModel"]
            + simulatedFrameworks(["UIKit", "UserNotifications", "CoreLocation"]),
        resources: [.copy("PrivacyInfo.xcprivacy")],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonPages",
        dependencies: ["Carillon"] + simulatedFrameworks(["UIKit", "WebKit"]),
        swiftSettings: swiftSettings
    ),
    .target(
        name: "FacadeSupport",
        dependencies: ["Carillon"],
        path: "Sources/Facades/FacadeSupport",
        swiftSettings: swiftSettings
    ),
]

/// Layer 5: targets that join others, and the server.
targets += [
    .target(
        name: "ApplePushSender",
        dependencies: [
            "ApplePush", "ApplePushConnection", "CarillonBytes", "CarillonEngine", "CarillonModel",
            "CarillonOperatorModel", locks, nioCore, nioPosix, nioSSL, nioHPACK, logging, serviceLifecycle,
        ],
        swiftSettings: swiftSettings
    ),
    // In C, as Swift runs nothing before the app does: what tells ToastPush of the launch.
    .target(name: "ToastPushLaunch", path: "Sources/Facades/ToastPushLaunch"),
    .target(
        name: "ToastPush",
        dependencies: [
            "Carillon", "CarillonModel", "CarillonServiceExtension", "FacadeSupport", "ToastPushLaunch",
        ]
            + simulatedFrameworks(["UserNotifications", "UIKit"]),
        path: "Sources/Facades/ToastPush",
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CorePush",
        dependencies: ["Carillon", "CarillonPages", "FacadeSupport"]
            + simulatedFrameworks(["UserNotifications", "UIKit"]),
        path: "Sources/Facades/CorePush",
        swiftSettings: swiftSettings
    ),
    .target(
        name: "Coim",
        dependencies: ["Carillon", "CarillonModel", "FacadeSupport"] + simulatedFrameworks(["UIKit"]),
        path: "Sources/Facades/Coim",
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonStore",
        dependencies: [
            "CarillonContentSets", "CarillonEngine", "CarillonModel", "CarillonOperatorModel", "CarillonSQL",
            "StoreErrors", product("GRDBSQLite", "GRDB.swift"), locks, crypto,
        ],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CarillonWebhooks",
        dependencies: [
            "CarillonContentSets", "CarillonEngine", "CarillonModel", "CarillonOperatorModel",
            product("AsyncHTTPClient", "async-http-client"),
            locks, nioCore, nioPosix, nioHTTP1, nioSSL,
        ],
        swiftSettings: swiftSettings
    ),
    // What runs for content sets, on the engine's clocks, keys and Campaigns.
    .target(
        name: "CarillonContentJobs",
        dependencies: [
            "CarillonContentSets", "CarillonEngine", "CarillonModel", "CarillonOperatorModel", "StoreErrors", locks,
            logging, serviceLifecycle,
        ],
        swiftSettings: swiftSettings
    ),
]

/// Layer 6: HTTP.
targets += [
    .target(
        name: "CarillonServer",
        dependencies: [
            "CarillonAccountModel", "CarillonBytes", "CarillonContentJobs", "CarillonContentSets", "CarillonEngine",
            "CarillonModel",
            "CarillonOperatorModel",
            hummingbird, product("HummingbirdCore", "hummingbird"),
            product("HummingbirdTLS", "hummingbird"),
            nioHTTP1, httpTypes, product("NIOHTTPTypes", "swift-nio-extras"), locks, nioCore,
            nioSSL, crypto, logging, metrics, serviceLifecycle,
        ],
        resources: [
            .copy("Resources/openapi.yaml"), .copy("Resources/openapi-toast-push.yaml"),
            .copy("Resources/openapi-core-push.yaml"), .copy("Resources/openapi-coimotion.yaml"),
        ],
        swiftSettings: swiftSettings
    ),
    // Pages for Operators: templates and texts are files beside the program.
    .target(
        name: "CarillonConsole",
        dependencies: [
            "CarillonBytes", "CarillonContentJobs", "CarillonContentSets", "CarillonEngine", "CarillonModel",
            "CarillonOperatorModel", "CQRCode", "OpenIDConnect", "StoreErrors",
            hummingbird, product("HummingbirdCore", "hummingbird"), httpTypes, mustache, nioCore, locks, crypto,
            logging,
            serviceLifecycle,
        ],
        resources: [.copy("Resources")],
        swiftSettings: swiftSettings
    ),
]

/// Layer 7: what few apps of a facade use, and the server's only composition root.
targets += [
    .target(
        name: "ToastVoIP",
        dependencies: ["Carillon", "CarillonCalls", "FacadeSupport", "ToastPush"] + simulatedFrameworks(["UIKit"]),
        path: "Sources/Facades/ToastVoIP",
        swiftSettings: swiftSettings
    ),
    .target(
        name: "CorePushLocation",
        dependencies: ["Carillon", "CarillonLocation", "CorePush"] + simulatedFrameworks(["UIKit"]),
        path: "Sources/Facades/CorePushLocation",
        swiftSettings: swiftSettings
    ),
    .executableTarget(
        name: "CarillonCommand",
        dependencies: [
            "ApplePush", "ApplePushConnection", "ApplePushSender", "ApplePushSimulator", "CarillonBytes",
            "CarillonContentJobs", "CarillonContentSets", "CarillonEngine", "CarillonImporters", "CarillonModel",
            "CarillonConsole", "CarillonOperatorModel", "CarillonReaders",
            "CarillonServer", "CarillonSQL", "CarillonStore", "CarillonWebhooks", "OpenIDConnect",
            product("ArgumentParser", "swift-argument-parser"), product("Configuration", "swift-configuration"),
            product("SystemPackage", "swift-system"),
            locks, nioCore, nioPosix, nioSSL, nioHPACK, crypto, x509, asn1, logging,
            metrics, serviceLifecycle,
            product("UnixSignals", "swift-service-lifecycle"),
        ] + onLinux(["PhoneSimulator"]),
        swiftSettings: swiftSettings
    ),
]

// MARK: - Linux only: Apple's frameworks, simulated, and the phones that run on them

#if os(Linux)
/// `_Testing_UIKit` is what `import Testing` looks for beside a module named `UIKit`; it is empty here.
targets += [
    framework("UserNotifications", []),
    framework("UIKit", ["UserNotifications"]),
    framework("PushKit", ["UserNotifications"]),
    framework("CallKit", ["PushKit", "UserNotifications"]),
    framework("CoreLocation", ["UserNotifications"]),
    framework("WebKit", ["UIKit"]),
    .target(name: "_Testing_UIKit", path: "Sources/AppleFrameworks/_Testing_UIKit", swiftSettings: swiftSettings),
    // What comes to phones from the APNs simulator.
    .target(name: "SimulatorFeed", dependencies: ["Carillon"], swiftSettings: swiftSettings),
    .target(
        name: "CarillonTestKit",
        dependencies: [
            "Carillon", "CarillonAccountModel", "CarillonModel", "CarillonServiceExtension", "FacadeSupport",
            "SimulatorFeed",
            "UserNotifications", "UIKit",
            // An app's tests import Testing beside UIKit.
            "_Testing_UIKit", "PushKit", "CoreLocation",
        ],
        swiftSettings: swiftSettings
    ),
    .target(
        name: "PhoneSimulator",
        dependencies: [
            "Carillon", "CarillonCalls", "CarillonModel", "CarillonServiceExtension", "SimulatorFeed",
            "UserNotifications", "UIKit", "PushKit", locks,
        ],
        swiftSettings: swiftSettings
    ),
]
#endif

/// One of Apple's frameworks, simulated; it needs `UserNotifications` for the phone that it runs on.
func framework(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/AppleFrameworks/" + name,
        swiftSettings: swiftSettings
    )
}

func simulatedFrameworks(_ names: [String]) -> [Target.Dependency] {
    onLinux(names)
}

func onLinux(_ names: [String]) -> [Target.Dependency] {
    #if os(Linux)
    names.map { .target(name: $0) }
    #else
    []
    #endif
}

// MARK: - Tests: one folder a target, and those that cross targets

/// A target of the package `Examples`.
func sample(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Examples/Sources/" + folder,
        swiftSettings: swiftSettings
    )
}

/// A target of the package `Examples/FunArt`.
func funArt(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: "Sampled" + name,
        dependencies: dependencies,
        path: "Examples/FunArt/Sources/" + name,
        swiftSettings: swiftSettings
    )
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

targets += [
    // What tests of several targets share.
    .target(name: "TestSupport", dependencies: [crypto], path: "Tests/TestSupport", swiftSettings: swiftSettings),
    // Databases for tests, on SQLite and on the PostgreSQL that the environment names.
    .target(
        name: "TestStores",
        dependencies: ["CarillonEngine", "CarillonModel", "CarillonSQL", "CarillonStore", locks],
        path: "Tests/TestStores",
        swiftSettings: swiftSettings
    ),
    tests("CarillonModelTests", ["CarillonModel", "CarillonOperatorModel"]),
    tests(
        "CarillonImportersTests",
        ["CarillonImporters", "CarillonModel", "CarillonOperatorModel", "CarillonReaders", "CZlib"]
    ),
    tests("CarillonContentSetsTests", ["CarillonContentSets", "CarillonModel", "CZip", "CZlib", protobuf]),
    // Run by `script/bench content`.
    .executableTarget(
        name: "ContentBenchmark",
        dependencies: [
            "CarillonContentSets", "CarillonEngine", "CarillonModel", "CarillonOperatorModel", "CarillonSQL",
            "CarillonStore", locks,
        ],
        path: "Tests/Programs/ContentBenchmark",
        swiftSettings: swiftSettings
    ),
    tests(
        "CarillonContentJobsTests",
        [
            "CarillonContentJobs", "CarillonContentSets", "CarillonEngine", "CarillonModel", "CarillonOperatorModel",
            "CarillonSQL", "CarillonStore", "CarillonWebhooks", "StoreErrors", "TestStores", hummingbird, httpTypes,
            locks, nioCore, nioPosix, logging, protobuf,
        ]
    ),
    tests(
        "CarillonSQLTests",
        ["CarillonSQL", "StoreErrors", "TestSupport", locks, product("GRDBSQLite", "GRDB.swift")]
    ),
    tests("OpenIDConnectTests", ["CarillonBytes", "OpenIDConnect", crypto, locks]),
    tests("ApplePushTests", ["ApplePush", crypto]),
    tests(
        "ApplePushConnectionTests",
        [
            "ApplePush", "ApplePushConnection", "ApplePushSimulator", "CarillonBytes", "TestSupport", nioCore, nioPosix,
            nioSSL,
            nioHPACK,
            nioHTTP2, nioHTTP1, locks, crypto, x509, asn1, logging,
        ]
    ),
    tests(
        "ApplePushSimulatorTests",
        [
            "ApplePushSimulator", "TestSupport", nioCore, nioPosix, nioSSL, crypto, logging,
            nioHTTP1, product("AsyncHTTPClient", "async-http-client"), hummingbird,
            httpTypes,
        ]
    ),
    tests(
        "CarillonEngineTests",
        [
            "CarillonAccountModel", "CarillonBytes", "CarillonEngine", "CarillonModel", "CarillonOperatorModel",
            "CarillonSQL", "CarillonStore", locks, crypto, logging, serviceLifecycle, "TestStores", "TestSupport",
            product("ServiceLifecycleTestKit", "swift-service-lifecycle"), tracing,
            product("InMemoryTracing", "swift-distributed-tracing"),
        ]
    ),
    tests(
        "StoreContractTests",
        [
            "CarillonBytes", "CarillonContentSets", "CarillonEngine", "CarillonModel", "CarillonOperatorModel",
            "CarillonSQL", "CarillonStore", "TestStores", "TestSupport", locks, nioCore, nioPosix,
        ]
    ),
    tests(
        "ApplePushSenderTests",
        [
            "ApplePush", "ApplePushConnection", "ApplePushSender", "ApplePushSimulator", "CarillonBytes",
            "CarillonEngine", "CarillonModel", "CarillonOperatorModel", nioCore, nioPosix, locks, crypto, logging,
        ]
    ),
    tests(
        "CarillonWebhooksTests",
        [
            "CarillonEngine", "CarillonModel", "CarillonWebhooks", hummingbird, httpTypes, locks, nioCore, nioPosix,
            logging,
        ]
    ),
    tests(
        "CarillonServerTests",
        [
            "CarillonAccountModel", "CarillonContentJobs", "CarillonContentSets", "CarillonEngine", "CarillonModel",
            "CarillonOperatorModel", "CarillonServer", "CarillonSQL", "CarillonStore", "Coim", "FacadeSupport",
            "TestStores",
            "TestSupport",
            product("HummingbirdTesting", "hummingbird"), hummingbird,
            httpTypes, product("NIOHTTPTypes", "swift-nio-extras"),
            product("NIOEmbedded", "swift-nio"), product("MetricsTestKit", "swift-metrics"), locks, nioCore, nioPosix,
            nioSSL, crypto, logging, x509, asn1, product("ServiceLifecycleTestKit", "swift-service-lifecycle"),
        ]
    ),
    tests(
        "CarillonConsoleTests",
        [
            "ApplePush", "CarillonConsole", "CarillonContentJobs", "CarillonContentSets", "CarillonEngine",
            "CarillonModel", "CarillonOperatorModel", "CarillonServer", "CarillonSQL", "CarillonStore",
            "OpenIDConnect", "TestStores", "TestSupport", product("HummingbirdTesting", "hummingbird"), hummingbird,
            httpTypes, locks, nioCore, nioPosix, crypto, logging,
        ]
    ),
    tests(
        "CarillonCommandTests",
        [
            "ApplePush", "ApplePushConnection", "ApplePushSender", "ApplePushSimulator", "CarillonBytes",
            "CarillonCommand", "CarillonConsole", "CarillonEngine", "CarillonImporters", "CarillonModel",
            "CarillonOperatorModel", "CarillonServer", "CarillonSQL", "CarillonStore", "OpenIDConnect", "TestStores",
            "TestSupport",
            product("ArgumentParser", "swift-argument-parser"), product("MetricsTestKit", "swift-metrics"), locks,
            crypto,
            logging, nioCore, nioPosix, nioSSL, x509, asn1,
        ]
    ),
]

#if os(Linux)
targets += [
    tests(
        "CarillonTests",
        [
            "Carillon", "CarillonAccountModel", "CarillonAccounts", "CarillonCalls", "CarillonContent",
            "CarillonLocation", "CarillonModel", "CarillonPages", "CarillonServiceExtension", "UserNotifications",
            "UIKit", "PushKit", "CallKit",
            "CoreLocation", "WebKit",
            "PhoneSimulator", "SimulatorFeed",
        ]
    ),
    // What the examples are made of, under names of its own here, so that it is tried and not only compiled.
    sample("SampledToastPush", "ToastPushSamples", ["ToastPush", "ToastVoIP", "UIKit", "UserNotifications"]),
    sample(
        "SampledCorePush",
        "CorePushSamples",
        ["Carillon", "CorePush", "CorePushLocation", "UIKit", "UserNotifications", "WebKit"]
    ),
    sample("SampledCoim", "CoimSamples", ["Coim", "UIKit"]),
    sample("SampledScenes", "SceneExample", ["Carillon", "UIKit"]),
    // 瘋藝文 is a package of its own, Examples/FunArt, whose targets have other names there.
    funArt("FunArt", []),
    funArt("FunArtApp", ["Carillon", "CarillonAccounts", "CarillonContent", "SampledFunArt", "UIKit"]),
    .executableTarget(
        name: "SampledFunArtWeb",
        dependencies: [
            "Carillon", "CarillonTestKit", "SampledFunArt", "SampledFunArtApp", hummingbird, httpTypes, logging,
            mustache, nioCore, serviceLifecycle, product("UnixSignals", "swift-service-lifecycle"),
        ],
        path: "Examples/FunArt/Sources/FunArtWeb",
        resources: [.copy("Resources")],
        swiftSettings: swiftSettings
    ),
    sample("SampledApp", "Example", ["Carillon", "CarillonCalls", "CarillonPages", "UIKit", "UserNotifications"]),
    tests(
        "SampleTests",
        [
            "Carillon", "CarillonAccounts", "CarillonContent", "CarillonLocation", "CarillonModel", "CarillonTestKit",
            "CorePush", "SampledApp",
            "SampledCorePush",
            "SampledScenes", "SampledToastPush", "TestSupport", "ToastPush", "UserNotifications", "UIKit", "WebKit",
        ]
    ),
    tests(
        "ToastPushTests",
        [
            "CallKit", "Carillon", "CarillonModel", "CarillonTestKit", "FacadeSupport", "ToastPush", "ToastVoIP",
            "UserNotifications", "UIKit",
        ]
    ),
    tests(
        "CorePushTests",
        [
            "Carillon", "CarillonModel", "CarillonPages", "CarillonTestKit", "CorePush", "FacadeSupport",
            "UserNotifications", "UIKit",
        ]
    ),
    tests("CoimTests", ["Carillon", "CarillonTestKit", "Coim", "FacadeSupport", "SampledCoim", "UIKit"]),
    tests(
        "EndToEndTests",
        [
            "ApplePushSimulator", "Carillon", "CarillonAccountModel", "CarillonAccounts",
            "CarillonCommand", "CarillonContent", "CarillonModel", "CarillonOperatorModel", "CarillonTestKit",
            "CorePush",
            "PhoneSimulator", "SampledCorePush",
            "SampledToastPush", "SimulatorFeed", "TestSupport", "ToastPush", "UIKit", "UserNotifications",
        ]
    ),
    tests(
        "FunArtTests",
        ["CarillonCommand", "SampledFunArt", "SampledFunArtApp", "SampledFunArtWeb"]
    ),
    .executableTarget(
        name: "ReportingApp",
        dependencies: ["Carillon"],
        path: "Tests/Programs/ReportingApp",
        swiftSettings: swiftSettings
    ),
    tests(
        "FaultTests",
        [
            "ApplePushSimulator", "CarillonCommand", "ReportingApp", "CarillonEngine", "CarillonModel",
            "CarillonOperatorModel", "CarillonServer", "TestSupport", locks, nioCore, nioPosix, crypto,
            logging,
        ]
    ),
]
#endif

var products: [Product] = [
    // Not named as its module: `carillon` is the command, and no two names may differ by case alone.
    .library(name: "CarillonSDK", targets: ["Carillon"]),
    .library(name: "CarillonServiceExtension", targets: ["CarillonServiceExtension"]),
    .library(name: "CarillonCalls", targets: ["CarillonCalls"]),
    .library(name: "CarillonLocation", targets: ["CarillonLocation"]),
    .library(name: "CarillonAccounts", targets: ["CarillonAccounts"]),
    .library(name: "CarillonContent", targets: ["CarillonContent"]),
    .library(name: "CarillonPages", targets: ["CarillonPages"]),
    .library(name: "ToastPush", targets: ["ToastPush"]),
    .library(name: "ToastVoIP", targets: ["ToastVoIP"]),
    .library(name: "CorePush", targets: ["CorePush"]),
    .library(name: "CorePushLocation", targets: ["CorePushLocation"]),
    .library(name: "Coim", targets: ["Coim"]),
    .library(name: "ApplePush", targets: ["ApplePush", "ApplePushConnection", "CarillonBytes"]),
    .library(name: "ApplePushSimulator", targets: ["ApplePushSimulator"]),
    // What operators and back ends say to the API, audiences' rules among it.
    .library(name: "CarillonOperatorModel", targets: ["CarillonOperatorModel"]),
    .executable(name: "carillon", targets: ["CarillonCommand"]),
]
#if os(Linux)
products.append(.library(name: "CarillonTestKit", targets: ["CarillonTestKit"]))
#endif

/// With `CARILLON_FUZZED` in the environment, as `script/fuzz` builds: what only fuzzers link.
if Context.environment["CARILLON_FUZZED"] != nil {
    products.append(.library(name: "CarillonContentSets", targets: ["CarillonContentSets", "CarillonModel"]))
}

/// With `CARILLON_SANITIZED` in the environment, as `script/test` builds with the thread sanitizer: without the tests of
/// code that is not concurrent, of what only translates calls to code that has its own, and those that start processes. The
/// sanitizer takes longer to build a test than to run it.
if Context.environment["CARILLON_SANITIZED"] != nil {
    let others = [
        "ApplePushSimulatorTests", "ApplePushTests", "CarillonCommandTests", "CarillonConsoleTests",
        "CarillonContentSetsTests",
        "CarillonImportersTests", "CarillonModelTests", "CarillonServerTests", "CarillonWebhooksTests",
        "OpenIDConnectTests",
        "CoimTests", "CorePushTests", "FaultTests", "FunArtTests", "ReportingApp", "SampledFunArt", "SampledFunArtApp",
        "SampledFunArtWeb", "SampleTests", "ToastPushTests",
    ]
    targets.removeAll { others.contains($0.name) }
    // Of the store's contract what several tasks, nodes or connections do at once.
    if let contract = targets.first(where: { $0.name == "StoreContractTests" }) {
        contract.sources = [
            "Deliveries", "Devices/DeviceStoreTests.swift", "Driver/DatabaseTests.swift",
            "Driver/GroupCommitTests.swift", "Migrations/MigrationTests.swift", "PostgreSQL",
            "Retention/PartitionTests.swift", "SQLite", "Support", "Tags/TagStoreTests.swift",
        ]
        contract.exclude += ["PostgreSQL/StatementPlanTests.swift"]
    }
}

let package = Package(
    name: "carillon",
    platforms: [.iOS(.v15), .macOS(.v15)],
    products: products,
    // No trait is enabled by default: an app gets the SDK and does not even download what the server needs. Who builds the
    // server or runs the tests says `--traits Server`.
    traits: [
        .trait(name: "Push", description: "The client of APNs: the product ApplePush."),
        .trait(
            name: "Simulator",
            description: "The simulator of APNs: the product ApplePushSimulator.",
            enabledTraits: ["Push"]
        ),
        .trait(name: "Server", description: "Everything but the SDK.", enabledTraits: ["Push", "Simulator"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.20.0"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.0"),
    ],
    targets: targets
)
