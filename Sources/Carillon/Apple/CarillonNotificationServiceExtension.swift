#if canImport(UserNotifications) && !os(tvOS) && !os(watchOS)
import CarillonModel
package import Foundation
public import UserNotifications

/// A service extension that reports that a notification was received, and shows its picture, video or sound and its buttons.
///
/// An empty subclass suffices, with `CarillonServerURL` and `CarillonAppKey` in the extension's Info.plist (and
/// `CarillonAppGroup` if app and extension share one, so that the app sends what the extension could not).
/// A subclass that overrides a method calls `super`.
open class CarillonNotificationServiceExtension: UNNotificationServiceExtension {
    /// What simulated phones put in place of the real thing.
    package var parts = ServiceExtensionParts()

    private var delivery: ContentDelivery?
    private var work: Task<Void, Never>?

    /// Says where the server is, and the App's key; an extension without an Info.plist of its own overrides it.
    ///
    /// - Returns: What stands in the extension's Info.plist.
    /// - Throws: ``CarillonError`` when it is not there.
    open func carillonConfiguration() throws -> CarillonConfiguration {
        try parts.configuration ?? CarillonConfiguration(bundle: .main)
    }

    /// Reports the notification and makes it richer; whatever fails, its text is shown.
    ///
    /// - Parameters:
    ///   - request: The notification.
    ///   - contentHandler: Called once with what is to be shown.
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

    /// Shows what there is so far.
    open override func serviceExtensionTimeWillExpire() {
        work?.cancel()
        delivery?.deliver()
    }
}

/// What a service extension works with.
package struct ServiceExtensionParts: Sendable {
    /// What an Info.plist would say.
    package var configuration: CarillonConfiguration?
    package var dependencies = Dependencies()
    package var media: any MediaSource = URLSessionMediaSource()
    package var mediaFolder = FileManager.default.temporaryDirectory
    /// Finds a file of the extension's own, by its full name.
    package var bundled: @Sendable (String) -> URL? = { Bundle.main.url(forResource: $0, withExtension: nil) }

    package init() {}
}

/// What a service extension does for one notification.
struct ServiceExtensionJob: Sendable {
    let push: ReceivedPush
    let configuration: CarillonConfiguration
    /// Whether the message names no category: it gets Carillon's, which reports dismissal, or its own buttons'.
    let isUncategorized: Bool
    let parts: ServiceExtensionParts

    /// How long the notification waits for the server at most, in seconds: what is not sent then is on disk.
    private static let reportTime: TimeInterval = 5
    /// How long it waits for its media at most, in seconds, out of the about thirty that the system gives.
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
        // At once: what time runs out for is shown with it.
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
