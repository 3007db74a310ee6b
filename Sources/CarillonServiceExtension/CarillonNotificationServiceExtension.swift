#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
public import Carillon
import CarillonModel
package import Foundation
public import UserNotifications

/// A service extension that reports a received notification, and adds its picture, video or sound and its buttons.
///
/// An empty subclass suffices, with `CarillonServerURL` and `CarillonAppKey` in the extension's Info.plist (and
/// `CarillonAppGroup` if app and extension share one, so that the app sends what the extension could not).
/// A subclass that overrides a method must call `super`.
open class CarillonNotificationServiceExtension: UNNotificationServiceExtension {
    /// The dependencies, which simulated phones replace.
    package var parts = ServiceExtensionParts()

    private var delivery: ContentDelivery?
    private var work: Task<Void, Never>?

    /// Returns the configuration; override it in an extension without keys in its Info.plist.
    ///
    /// - Returns: The configuration of the extension's Info.plist.
    /// - Throws: `CarillonError` when the Info.plist has none.
    open func carillonConfiguration() throws -> CarillonConfiguration {
        try parts.configuration ?? CarillonConfiguration(bundle: .main)
    }

    /// Reports the notification and adds media and buttons; its text is shown even if that fails.
    ///
    /// - Parameters:
    ///   - request: The notification.
    ///   - contentHandler: Called once, with the content to show.
    open override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        let delivery = ContentDelivery(request.content, contentHandler)
        self.delivery = delivery
        guard let push = ReceivedPush(userInfo: request.content.userInfo),
            let configuration = try? carillonConfiguration()
        else { return delivery.deliver() }
        let job = ServiceExtensionJob(
            push: push,
            configuration: configuration,
            isUncategorized: ["", DefaultCategory.identifier].contains(request.content.categoryIdentifier),
            parts: parts
        )
        work = Task {
            await job.run(delivery)
            delivery.deliver()
        }
    }

    /// Shows the content as it is so far.
    open override func serviceExtensionTimeWillExpire() {
        work?.cancel()
        delivery?.deliver()
    }
}

/// The dependencies of a service extension.
package struct ServiceExtensionParts: Sendable {
    /// The configuration in place of the Info.plist's.
    package var configuration: CarillonConfiguration?
    package var dependencies = Dependencies()
    package var media: any MediaSource = URLSessionMediaSource()
    package var mediaFolder = FileManager.default.temporaryDirectory
    /// Finds a file of the extension's bundle by its full name.
    package var bundled: @Sendable (String) -> URL? = { Bundle.main.url(forResource: $0, withExtension: nil) }

    package init() {}
}

/// The work of a service extension for one notification.
struct ServiceExtensionJob: Sendable {
    let push: ReceivedPush
    let configuration: CarillonConfiguration
    /// Whether the message has no category: it gets Carillon's, which reports dismissal, or that of its own buttons.
    let isUncategorized: Bool
    let parts: ServiceExtensionParts

    /// The longest wait for the server, in seconds; events that are not sent then are on disk.
    private static let reportTime: TimeInterval = 5
    /// The longest wait for media, in seconds, of the about thirty that the system gives.
    private static let mediaTime: TimeInterval = 20

    func run(_ delivery: ContentDelivery) async {
        async let reported: Void = report()
        async let buttoned: Void = addButtons(delivery)
        async let pictured: Void = addMedia(delivery)
        _ = await (reported, buttoned, pictured)
    }

    private func report() async {
        var dependencies = parts.dependencies
        dependencies.process = Dependencies.extensionProcess
        guard let client = try? CarillonClient(configuration, dependencies) else { return }
        await client.report(.received, of: push)
        await client.flush(within: Self.reportTime)
    }

    private func addButtons(_ delivery: ContentDelivery) async {
        guard isUncategorized else { return }
        // First, so that the content has it when the time expires.
        delivery.improve { $0.categoryIdentifier = DefaultCategory.identifier }
        guard !push.buttons.isEmpty else { return }
        await SystemCategories.register(for: push.buttons)
        delivery.improve { $0.categoryIdentifier = SystemCategories.identifier(for: push.buttons) }
    }

    private func addMedia(_ delivery: ContentDelivery) async {
        guard let media = push.media else { return }
        let download = MediaDownload(source: parts.media, folder: parts.mediaFolder, bundled: parts.bundled)
        guard let file = await download.file(for: media, timeLimit: Self.mediaTime) else { return }
        guard let attachment = try? UNNotificationAttachment(identifier: "media", url: file, options: nil) else {
            try? FileManager.default.removeItem(at: file)
            return
        }
        delivery.improve { $0.attachments = [attachment] }
    }
}
#endif
