import ArgumentParser
import Configuration

/// The flags of `carillon serve` for limits: they override the environment and the file.
struct LimitOptions: ParsableArguments {
    @Option(
        help: .setting(
            .connectionsPerAddress,
            "Open connections of one address, proxies apart; 0 does not bound them. (default: 2000)"
        )
    )
    var connectionsPerAddress: Int?

    @Option(
        help: .setting(
            .requestSeconds,
            "Maximum time of receiving a request, beside the time for its bytes, in seconds. (default: 60)"
        )
    )
    var connectionsRequestSeconds: Double?

    @Option(
        help: .setting(
            .answerSeconds,
            "How long an answer may wait to be read, beside the time for its bytes, in seconds. (default: 60)"
        )
    )
    var connectionsAnswerSeconds: Double?

    @Option(
        help: .setting(
            .leastRate,
            "Bytes a second at which requests come and answers are read at least. (default: 16384)"
        )
    )
    var connectionsLeastRate: Int?

    @Option(help: .setting(.apiKeyRate, "Requests a second of one API key; 0 does not bound them. (default: 2000)"))
    var limitsApiKeyRate: Double?

    @Option(help: .setting(.appKeyRate, "Requests a second with one App key; 0 does not bound them. (default: 10000)"))
    var limitsAppKeyRate: Double?

    @Option(help: .setting(.deviceRate, "Requests a second of one device; 0 does not bound them. (default: 20)"))
    var limitsDeviceRate: Double?

    @Option(
        help: .setting(
            .wrongKeyRate,
            "Requests a second of one address with wrong keys; 0 does not bound them. (default: 10)"
        )
    )
    var limitsWrongKeyRate: Double?

    @Option(
        help: .setting(
            .costlyRequests,
            "Exports, estimates, dry runs and requests of more than 2 MiB of one app at once; 0 does not bound them. (default: 4)"
        )
    )
    var limitsCostly: Int?

    /// The given flags.
    var values: [ServerSetting: ConfigValue] {
        let integers: [ServerSetting: Int?] = [
            .connectionsPerAddress: connectionsPerAddress, .leastRate: connectionsLeastRate,
            .costlyRequests: limitsCostly,
        ]
        let numbers: [ServerSetting: Double?] = [
            .requestSeconds: connectionsRequestSeconds, .answerSeconds: connectionsAnswerSeconds,
            .apiKeyRate: limitsApiKeyRate, .appKeyRate: limitsAppKeyRate, .deviceRate: limitsDeviceRate,
            .wrongKeyRate: limitsWrongKeyRate,
        ]
        let given = integers.compactMapValues { $0.map { ConfigValue(.int($0), isSecret: false) } }
        return given.merging(numbers.compactMapValues { $0.map { ConfigValue(.double($0), isSecret: false) } }) { $1 }
    }
}
