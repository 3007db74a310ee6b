public import CarillonModel
public import Foundation

extension CarillonClient {
    /// Names the person who answers surveys on this phone, and nobody else: a random id that has nothing to do with the
    /// Device, the user or the hardware.
    ///
    /// It is made when it is first asked for and stays the same until ``forgetMe(user:)``, also over restarts.
    public var surveyID: String { surveys.id }
}

/// Where a survey is.
public enum SurveyLink {
    /// The text that is opened: the push's link, the platform, and who answers.
    ///
    /// The parts are put one after the other as they are; the server hands out links that have a query already.
    ///
    /// - Parameters:
    ///   - link: The link of the push or the inbox's message.
    ///   - id: ``CarillonClient/surveyID``.
    /// - Returns: `link` + `&pf=ios&cruuid=` + `id`; `nil` when there is no link.
    public static func text(for link: String?, id: String) -> String? {
        guard let link, !link.isEmpty else { return nil }
        return link + "&pf=ios&cruuid=" + id
    }

    /// What is opened for a push.
    ///
    /// - Parameters:
    ///   - message: The push.
    ///   - id: ``CarillonClient/surveyID``.
    /// - Returns: The URL; `nil` when the push is no survey, has no link, or leads anywhere but to the web.
    public static func url(for message: PushMessage, id: String) -> URL? {
        message.isSurvey ? url(for: message.link, id: id) : nil
    }

    /// What is opened for a message of the inbox.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - id: ``CarillonClient/surveyID``.
    /// - Returns: The URL; `nil` when the message is no survey, has no link, or leads anywhere but to the web.
    public static func url(for message: InboxMessage, id: String) -> URL? {
        message.isSurvey ? url(for: message.link, id: id) : nil
    }

    private static func url(for link: String?, id: String) -> URL? {
        guard let url = text(for: link, id: id).flatMap(LinkText.url), WebLink.isWeb(url) else { return nil }
        return url
    }
}

/// Which links a page inside the app may follow.
public enum WebLink {
    /// Whether a link leads to the web, and not to a telephone, a mail program or another app.
    ///
    /// - Parameter url: The link.
    /// - Returns: True for `http` and `https` with a host.
    public static func isWeb(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased() ?? "") && url.host?.isEmpty == false
    }

    /// Where a link to a pass for Wallet is fetched from: `pass://` stands for `http://`.
    ///
    /// - Parameter url: The link.
    /// - Returns: The address; `nil` when the link is no such one.
    public static func pass(_ url: URL) -> URL? {
        guard url.scheme?.lowercased() == "pass", var parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            url.host?.isEmpty == false
        else { return nil }
        parts.scheme = "http"
        return parts.url
    }
}

/// Keeps the id for surveys.
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
    /// One that the disk does not take holds as long as the process.
    var id: String {
        lock.lock()
        defer { lock.unlock() }
        if let known { return known }
        var found = DeviceIdentity(random: random).device.rawValue.uuidString
        do {
            if let kept = try file.load()?.first, UUID(uuidString: kept) != nil {
                found = kept
            } else {
                try file.save([found])
            }
        } catch {
            // What cannot be read now, as before the first unlock, is not replaced: this one holds until the app ends.
        }
        known = found
        return found
    }

    func forget() {
        lock.lock()
        defer { lock.unlock() }
        known = nil
        try? FileManager.default.removeItem(at: file.file)
    }
}
