import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Paths of the vendor's: `/{app code}/{repository}/{resource}/{operation}`, mostly with an id behind.
///
/// The app code may be the first label of the host instead; then the path begins with the repository.
enum CoimotionPath {
    /// The path of the description, which is none of the vendor's.
    static let description = "/coimotion/openapi.yaml"
    /// The beginning of the routes' paths.
    static let root = "/{appcode}/"

    /// The resources of the repositories that have operations here.
    private static let resources: [Substring: Set<Substring>] = [
        "core": ["user"], "twShow": ["show"], "twCtBus": ["busStop", "busRoute"], "cms": ["page", "geoLoc", "att"],
    ]
    /// First segments of hosts' paths: those above, and the vendor's other repositories and modules.
    private static let repositories = Set(resources.keys).union([
        "att", "sws", "event", "twCvStore", "twMarathon", "twTrain", "twBook", "twVista", "iticket",
    ])
    /// First segments of the server's other paths.
    private static let others: Set<Substring> = ["v1", "push", "corepush", "coimotion", "health", "ready", "metrics"]

    /// Whether a path, with the app code, is one of the vendor's: of a repository or module that has operations here.
    static func isOne(_ path: String) -> Bool {
        guard let segments = segments(of: path) else { return false }
        return resources[segments[1]] != nil
    }

    /// What may be the app code of a path: of a path that no route has, only an App's code makes one of the vendor's.
    static func code(of path: String) -> String? {
        guard let first = segments(of: path)?.first, CoimotionSettings.codeLengths.contains(first.utf8.count),
            first.utf8.allSatisfy(isLetterOrDigit)
        else { return nil }
        return String(first)
    }

    /// The segments of a path that may have an app code.
    private static func segments(of path: String) -> [Substring]? {
        let segments = path.split(separator: "/")
        guard segments.count >= 4, !others.contains(segments[0]), !CorePushPath.isOne(path) else { return nil }
        return segments
    }

    /// The request with the app code in its path, when it is in the host.
    static func resolved(_ request: Request) -> Request {
        let path = request.head.path ?? ""
        // Nearly all requests are V1's.
        guard !path.hasPrefix("/v1/") else { return request }
        let place = path.prefix { $0 != "?" }
        let segments = place.split(separator: "/")
        guard segments.count >= 3, !others.contains(segments[0]), !CorePushPath.isOne(String(place)) else {
            return request
        }
        // With four segments or more the first one may be an app code.
        guard segments.count == 3 || repositories.contains(segments[0]) else { return request }
        guard let code = code(ofHost: request.head.authority ?? "") else { return request }
        var head = request.head
        head.path = "/\(code)" + path
        return Request(head: head, body: request.body)
    }

    /// The answer to a path or method that there is not.
    static func noRoute(_ path: String) -> CoimotionFailure {
        let segments = path.split(separator: "/").dropFirst().prefix(2)
        guard let repository = segments.first, let known = resources[repository] else { return .unknownRepository }
        guard let resource = segments.last, known.contains(resource) else { return .unknownResource }
        return .unknownOperation
    }

    /// The first label of a host that has several, if it can be an app code.
    private static func code(ofHost host: String) -> Substring? {
        let labels = host.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let first = labels.first, CoimotionSettings.codeLengths.contains(first.utf8.count),
            first.utf8.allSatisfy(Self.isLetterOrDigit)
        else { return nil }
        return first
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
