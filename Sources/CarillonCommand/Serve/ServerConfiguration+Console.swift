import CarillonConsole
import CarillonContentJobs
import CarillonContentSets
import CarillonModel
import CarillonServer
import CarillonWebhooks
import Foundation
import OpenIDConnect

extension ServerConfiguration {
    /// Reads how the console is served.
    mutating func readConsole(_ settings: ServerSettings) throws {
        if try settings.flag(.consoleOff) == true { console = nil }
        // It shows what does not come from a catalogue, and which texts do not fit; it changes one answer alone.
        console?.offersPseudoLanguage = true
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
    func reporting(_ node: NodeStatus, _ server: ServerConfiguration) -> Console.Configuration {
        var configuration = self
        let warnings = server.warnings
        var mark: String?
        if case .file(let path) = server.store { mark = ServerConfiguration.backupMark(of: path) }
        configuration.report = { [mark] in
            let readiness = await node.readiness()
            var report = NodeReport()
            report.isHeld = readiness.isHeld
            report.faults =
                readiness.failures.map { NodeReport.Fault(code: $0.code, detail: $0.detail, isFailure: true) }
                + readiness.degradations.map { NodeReport.Fault(code: $0.code, detail: $0.detail, isFailure: false) }
            report.warnings = warnings?.latest ?? []
            let facts = mark.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
            report.backupAt = (facts?[.modificationDate] as? Date).map(Timestamp.init)
            return report
        }
        return configuration
    }
}

extension Console.Configuration {
    /// The same configuration with what fetches images of messages.
    func fetching(_ fetcher: HTTPContentFetcher) -> Console.Configuration {
        var configuration = self
        configuration.fetchImage = { url, app, limit in
            switch await fetcher.fetchNow(ContentFetch(app: app, url: url, limit: limit)) {
            case .content(let bytes): .content(bytes)
            case .forbidden: .forbidden
            case .tooLarge: .tooLarge
            case .failed: .unreachable
            }
        }
        return configuration
    }
}

extension Console.Configuration {
    /// The same configuration with the identity provider.
    func vouched(by provider: IdentityProvider?) -> Console.Configuration {
        var configuration = self
        configuration.outside.provider = provider
        return configuration
    }
}

extension Console.Configuration {
    /// The same configuration with the services of content sets.
    func serving(_ content: ContentServices) -> Console.Configuration {
        var configuration = self
        configuration.content = content
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
                    peer: caller.peer,
                    isEncrypted: caller.isEncrypted,
                    requestID: caller.requestID
                )
            )
            return (answer.response, answer.route)
        }
    }
}
