public import CarillonModel
public import Foundation

extension CarillonClient {
    /// The respondent's id in surveys on this phone: random, and not derived from the Device, the user or the hardware.
    ///
    /// It is made on first use and stays the same until ``CarillonClient/erase(_:)``, also after restarts.
    public var surveyID: String { surveys.id }
}

/// Makes links to surveys.
public enum SurveyLink {
    /// The text of a survey's link: the push's link, the platform and the respondent.
    ///
    /// The parts are concatenated; the server sends links that have a query already.
    ///
    /// - Parameters:
    ///   - link: The link of the push or the inbox's message.
    ///   - id: ``CarillonClient/surveyID``.
    /// - Returns: `link` + `&pf=ios&cruuid=` + `id`; `nil` when there is no link.
    public static func text(for link: String?, id: String) -> String? {
        guard let link, !link.isEmpty else { return nil }
        return link + "&pf=ios&cruuid=" + id
    }

    /// The link of a push's survey.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - id: ``CarillonClient/surveyID``.
    /// - Returns: The URL; `nil` when the push is no survey, has no link, or its link is not to the web.
    public static func url(for message: PushMessage, id: String) -> URL? {
        message.isSurvey ? url(for: message.link, id: id) : nil
    }

    /// The link of an inbox message's survey.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - id: ``CarillonClient/surveyID``.
    /// - Returns: The URL; `nil` when the message is no survey, has no link, or its link is not to the web.
    public static func url(for message: InboxMessage, id: String) -> URL? {
        message.isSurvey ? url(for: message.link, id: id) : nil
    }

    private static func url(for link: String?, id: String) -> URL? {
        guard let url = text(for: link, id: id).flatMap(LinkText.url), WebLink.isWeb(url) else { return nil }
        return url
    }
}

/// Links that a page inside the app may follow.
public enum WebLink {
    /// Whether a link is to the web, and not to a telephone, a mail program or another app.
    ///
    /// - Parameter url: The link.
    /// - Returns: True for `http` and `https` with a host.
    public static func isWeb(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased() ?? "") && url.host?.isEmpty == false
    }

    /// The URL of a link to a pass for Wallet: `pass://` stands for `http://`.
    ///
    /// - Parameter url: The link.
    /// - Returns: The URL; `nil` when the scheme is not `pass`.
    public static func pass(_ url: URL) -> URL? {
        guard url.scheme?.lowercased() == "pass", var parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            url.host?.isEmpty == false
        else { return nil }
        parts.scheme = "http"
        return parts.url
    }
}

/// Stores the respondent's id in surveys.
///
/// Unchecked: `lock` protects everything.
final class SurveyIdentity: @unchecked Sendable {
    private let lock = NSLock()
    private let file: StateFile<[String]>
    private let random: any RandomSource
    private var known: String?

    init(file: StateFile<[String]>, random: any RandomSource) {
        self.file = file
        self.random = random
    }

    /// The id: a random UUID in upper case.
    ///
    /// An id that cannot be saved stays the same in this process.
    var id: String {
        lock.lock()
        defer { lock.unlock() }
        if let known { return known }
        var found = DeviceIdentity(random: random).device.rawValue.uuidString
        do {
            if let saved = try file.load()?.first, UUID(uuidString: saved) != nil {
                found = saved
            } else {
                try file.save([found])
            }
        } catch {
            // A file that cannot be read now, as before the first unlock, is not replaced: this id is used until the app ends.
        }
        known = found
        return found
    }

    func erase() {
        lock.lock()
        defer { lock.unlock() }
        known = nil
        try? FileManager.default.removeItem(at: file.file)
    }
}
