import CarillonConsole
import CarillonServer
import Foundation

extension ServerConfiguration {
    /// Reads how the console is served.
    mutating func readConsole(_ settings: ServerSettings) throws {
        if try settings.flag(.consoleOff) == true { console = nil }
        if let text = try settings.text(.consolePublicURL) {
            guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host != nil,
                ["", "/"].contains(url.path), url.query == nil, url.fragment == nil, url.user == nil
            else {
                throw ServerSettings.Failure(
                    description: "console.publicUrl must be https://HOST or https://HOST:PORT."
                )
            }
            console?.publicURL = text
        }
        if let allows = try settings.flag(.consoleAllowPlainHTTP) { console?.allowsPlainHTTP = allows }
        if try settings.flag(.consoleThisHostOnly) == true { console?.includesSubdomains = false }
    }
}

extension Console.Configuration {
    /// The same configuration with what a node says about itself.
    func reporting(_ node: NodeStatus) -> Console.Configuration {
        var configuration = self
        configuration.report = {
            let readiness = await node.readiness()
            var report = NodeReport()
            report.isHeld = readiness.isHeld
            report.faults =
                readiness.failures.map { NodeReport.Fault(code: $0.code, detail: $0.detail, isFailure: true) }
                + readiness.degradations.map { NodeReport.Fault(code: $0.code, detail: $0.detail, isFailure: false) }
            return report
        }
        return configuration
    }
}

extension Console {
    /// The console as the server mounts it.
    var pages: MountedPages {
        MountedPages(isOne: Console.isOne) { request, caller in
            let answer = await self.answer(
                request,
                ConsoleCaller(
                    address: caller.address,
                    network: caller.network,
                    isEncrypted: caller.isEncrypted,
                    requestID: caller.requestID
                )
            )
            return (answer.response, answer.route)
        }
    }
}
