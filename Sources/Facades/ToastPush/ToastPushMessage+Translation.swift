#if canImport(UIKit)
package import Carillon
import Foundation

extension ToastPushMessage {
    package convenience init(_ message: PushMessage) { self.init(Fields(message)) }
}

extension ToastPushMessage.Fields {
    init(_ message: PushMessage) {
        let media = message.media.map(ToastPushMedia.Fields.init)
        let buttons = message.buttons.map(ToastPushButton.Fields.init)
        self.init(
            identifier: Self.messageID(message) ?? message.id.description,
            title: message.title,
            body: message.body,
            badge: message.badge,
            sound: message.sound,
            clickAction: message.link,
            rich: media == nil && buttons.isEmpty
                ? nil : ToastPushRichMessage.Fields(media: media, buttons: buttons.isEmpty ? nil : buttons),
            payload: message.payload.mapValues(Self.text)
        )
    }

    /// The message's number in a payload of the vendor's format.
    private static func messageID(_ message: PushMessage) -> String? {
        guard case .object(let receipt)? = message.payload["messageDeliveryReceiptData"] else { return nil }
        return receipt["messageId"].map(text)
    }

    /// A string verbatim, anything else as JSON: the vendor documents only strings.
    private static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { return text }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension ToastPushMedia.Fields {
    init(_ media: Media) {
        let mediaType: ToastPushMediaType =
            switch media.kind {
            case .image: .image
            case .video: .video
            case .audio: .audio
            }
        self.init(mediaType: mediaType, source: media.source)
    }
}

extension ToastPushButton.Fields {
    init(_ button: ReceivedPush.Button) {
        let buttonType: ToastPushButtonType =
            switch button.kind {
            case .dismiss: .dismiss
            case .openApp: .openApp
            case .openURL: .openURL
            case .reply: .reply
            }
        self.init(
            identifier: button.id,
            buttonType: buttonType,
            name: button.title,
            link: button.link?.absoluteString,
            hint: button.hint,
            submit: button.submit
        )
    }

    /// The vendor's API has no app-defined actions; they count as opening the app.
    init(appAction id: String) {
        self.init(identifier: id, buttonType: .openApp, name: id, link: nil, hint: nil, submit: nil)
    }
}

extension ToastPushNotificationAction {
    convenience init(_ action: PushAction) {
        self.init(
            Fields(
                actionIdentifier: action.id,
                categoryIdentifier: action.category,
                button: action.button.map(ToastPushButton.Fields.init) ?? ToastPushButton.Fields(appAction: action.id),
                message: ToastPushMessage.Fields(action.message),
                userText: action.reply
            )
        )
    }
}
#endif
