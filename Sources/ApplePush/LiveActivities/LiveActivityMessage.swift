#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How urgent a Live Activity's message is; Apple permits no third.
public enum LiveActivityPriority: Hashable, Sendable, CaseIterable {
    /// At once, at the expense of the budget that the device gives the app.
    case immediate
    /// When the device's power allows, at no expense.
    case considerate

    /// The value of `apns-priority`.
    public var priority: Priority {
        switch self {
        case .immediate: .immediate
        case .considerate: .considerate
        }
    }
}

/// What a Live Activity's message shows as an alert, on an iPhone and on a watch.
public struct LiveActivityAlert: Hashable, Sendable {
    /// The first line.
    public var title: Payload.Text
    /// The text.
    public var body: Payload.Text
    /// A sound file of the app, or `default`; `nil` plays nothing.
    public var sound: String?

    /// An alert.
    ///
    /// - Parameters:
    ///   - title: The first line.
    ///   - body: The text.
    ///   - sound: A sound file of the app, or `default`.
    public init(title: Payload.Text, body: Payload.Text, sound: String? = nil) {
        self.title = title
        self.body = body
        self.sound = sound
    }

    var value: PayloadValue {
        var alert: PayloadObject = ["title": Self.value(of: title), "body": Self.value(of: body)]
        alert["sound"] = sound.map(PayloadValue.string)
        return .object(alert.members)
    }

    /// Unlike in an ordinary alert, a localized line is an object of its own here.
    private static func value(of text: Payload.Text) -> PayloadValue {
        switch text {
        case .literal(let line): .string(line)
        case .localized(let key, let arguments, _):
            ["loc-key": .string(key), "loc-args": .array(arguments.map(PayloadValue.string))]
        }
    }
}

/// A message that starts, updates or ends a Live Activity: ``LiveActivityStart``, ``LiveActivityUpdate``,
/// ``LiveActivityEnd``.
///
/// Source: ActivityKit's "Starting and updating Live Activities with ActivityKit push notifications". In practice APNs
/// takes these with a provider token only.
public protocol LiveActivityMessage: AppMessage {
    /// When the content was made; a device passes over what is older than the last it has.
    var timestamp: Date { get }
    /// How urgent it is.
    var urgency: LiveActivityPriority { get }
}

extension LiveActivityMessage {
    /// Always ``APNsPushType/liveActivity``.
    public var pushType: APNsPushType { .liveActivity }

    /// The value of `apns-priority`, always sent.
    public var priority: Priority? { urgency.priority }
}

extension PayloadValue {
    init(seconds date: Date) { self = .integer(date.secondsSince1970) }
}
