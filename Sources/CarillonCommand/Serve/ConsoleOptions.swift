import ArgumentParser
import Configuration

/// The flags of `carillon serve` for the console: they override the environment and the file.
struct ConsoleOptions: ParsableArguments {
    @Flag(help: .setting(.consoleOff, "Serve no console."))
    var consoleOff = false

    @Option(
        help: .setting(
            .consolePublicURL,
            "The address under which browsers reach the console, such as https://push.example.org, if a proxy changes it."
        )
    )
    var consolePublicUrl: String?

    @Flag(
        help: .setting(
            .consoleAllowPlainHTTP,
            "Let the console be used over plain HTTP from other machines: passwords can be read on the way."
        )
    )
    var consoleAllowPlainHttp = false

    @Flag(
        help: .setting(
            .consoleThisHostOnly,
            "Do not tell browsers that names below the console's host have TLS too."
        )
    )
    var consoleThisHostOnly = false

    /// The given flags.
    var values: [ServerSetting: ConfigValue] {
        var values: [ServerSetting: ConfigValue] = [:]
        if consoleOff { values[.consoleOff] = ConfigValue(.bool(true), isSecret: false) }
        if let consolePublicUrl {
            values[.consolePublicURL] = ConfigValue(.string(consolePublicUrl), isSecret: false)
        }
        if consoleAllowPlainHttp { values[.consoleAllowPlainHTTP] = ConfigValue(.bool(true), isSecret: false) }
        if consoleThisHostOnly { values[.consoleThisHostOnly] = ConfigValue(.bool(true), isSecret: false) }
        return values
    }
}
