import CarillonModel
import CarillonOperatorModel
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore

/// What came of fetching an image for the console, which knows no HTTP client: the composition root fetches.
package enum FetchedImage: Hashable, Sendable {
    case content([UInt8])
    /// The address, or one that it leads to, is of the server's own networks.
    case forbidden
    case tooLarge
    /// There is no answer now.
    case unreachable
}

/// Images of messages, fetched by the server: a browser of the console asks nobody else.
final class ImagePreviews: Sendable {
    typealias Fetch = @Sendable (_ url: String, _ app: AppID, _ limit: Int) async -> FetchedImage

    /// What an address leads to.
    enum Finding: Hashable, Sendable {
        case image(type: String, bytes: [UInt8])
        case noImage
        case forbidden
        case tooLarge
        case unreachable
    }

    /// Maximum size of an image in bytes: Apple's, "UNNotificationAttachment".
    static let limit = 10 * 1_024 * 1_024
    /// From which size on it is slow on phones.
    static let heavy = 500 * 1_024
    private static let keptCount = 32
    private static let keptBytes = 32 * 1_024 * 1_024
    private static let keptTime = Duration.seconds(300)
    private static let atOnce = 8

    private struct Kept {
        var app: AppID
        var url: String
        var finding: Finding
        var end: ContinuousClock.Instant
    }

    private struct State {
        var kept: [Kept] = []
        var underWay = 0
    }

    private let fetch: Fetch
    private let state = NIOLockedValueBox(State())

    init(_ fetch: @escaping Fetch) { self.fetch = fetch }

    /// Finds what an address leads to.
    ///
    /// - Parameters:
    ///   - url: An https URL.
    ///   - app: The App of the message.
    /// - Returns: The finding; `unreachable` when many are being fetched.
    func find(_ url: String, of app: AppID) async -> Finding {
        if let known = known(url, of: app) { return known }
        let mayFetch = state.withLockedValue { state in
            guard state.underWay < Self.atOnce else { return false }
            state.underWay += 1
            return true
        }
        guard mayFetch else { return .unreachable }
        defer { state.withLockedValue { $0.underWay -= 1 } }
        let finding: Finding
        switch await fetch(url, app, Self.limit) {
        case .content(let bytes): finding = Self.type(of: bytes).map { .image(type: $0, bytes: bytes) } ?? .noImage
        case .forbidden: finding = .forbidden
        case .tooLarge: finding = .tooLarge
        case .unreachable: return .unreachable
        }
        keep(Kept(app: app, url: url, finding: finding, end: .now + Self.keptTime))
        return finding
    }

    /// What an address led to a short time ago; `nil` when it was not asked.
    func known(_ url: String, of app: AppID) -> Finding? {
        state.withLockedValue { state in
            state.kept.removeAll { $0.end < .now }
            return state.kept.first { $0.app == app && $0.url == url }?.finding
        }
    }

    /// The type of an image that iOS shows; `nil` for other files, whatever their server calls them.
    static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        return bytes.starts(with: Array("GIF8".utf8)) ? "image/gif" : nil
    }

    // MARK: - Private

    private func keep(_ new: Kept) {
        state.withLockedValue { state in
            state.kept.removeAll { $0.app == new.app && $0.url == new.url }
            state.kept.append(new)
            var size = state.kept.reduce(0) { $0 + $1.finding.byteCount }
            while state.kept.count > Self.keptCount || size > Self.keptBytes, !state.kept.isEmpty {
                size -= state.kept.removeFirst().finding.byteCount
            }
        }
    }
}

extension ImagePreviews.Finding {
    fileprivate var byteCount: Int {
        guard case .image(_, let bytes) = self else { return 0 }
        return bytes.count
    }

    /// The key of the sentence that says why it cannot be used; `nil` when it can, or may be later.
    var problem: String? {
        switch self {
        case .image, .unreachable: nil
        case .noImage: "content.problem.noImage"
        case .forbidden: "content.problem.forbidden"
        case .tooLarge: "content.problem.largeImage"
        }
    }
}

extension ImagePreviews {
    static func declare(_ routes: inout ConsoleRoutes) {
        // Pages show images of this origin alone.
        routes.page("/apps/{app}/images/{url}", .app(.editor)) { visit in
            let app = try visit.app.id
            let url = try visit.parameter("url") { $0.hasPrefix("https://") ? $0 : nil }
            guard case .image(let type, let bytes) = await visit.images.find(url, of: app) else {
                throw ConsoleProblem.notFound
            }
            return .download(name: "image", type: type, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
}

extension AppPath {
    /// An image of a message, by way of the server.
    func image(_ url: String) -> String { home + "/images/" + FormFields.escaped(url) }
}
