import Carillon
import Foundation
import Testing

@testable import ToastPush

@Suite("TOAST Push's model classes")
struct ModelTests {
    @Test("Errors match by code, as those of the vendor's do in Swift") func matchesErrors() {
        func caught(_ error: any Error) -> String {
            do {
                throw error
            } catch ToastPushError.permissionDenied {
                return "denied"
            } catch ToastHttpError.requestTimeout {
                return "late"
            } catch {
                return "other"
            }
        }
        let denied = ToastPushError(.permissionDenied, "")
        #expect(caught(denied) == "denied" && denied.code == .permissionDenied)
        #expect(caught(ToastHttpError(.requestTimeout, "")) == "late")
        #expect(caught(ToastPushError(.unknown, "")) == "other" && caught(CancellationError()) == "other")
    }

    @Test("Types have the vendor's later names too") func laterNames() {
        #expect(NHNCloudPush.self == ToastPush.self && NHNCloudPushMessage.self == ToastPushMessage.self)
        #expect(NHNCloudPushType.apns == ToastPushType.APNS && ToastPushType.voip == .voIP)
    }

    @Test("T-106 the action object archives and copies")
    func action() throws {
        let button = ToastPushButton.Fields(
            identifier: "b1",
            buttonType: .reply,
            name: "Reply",
            link: nil,
            hint: "Write",
            submit: "Send"
        )
        let message = ToastPushMessage.Fields(
            identifier: "17",
            title: "Hello",
            body: "World",
            badge: 3,
            sound: nil,
            clickAction: nil,
            rich: ToastPushRichMessage.Fields(
                media: ToastPushMedia.Fields(mediaType: .video, source: "a.mp4"),
                buttons: [button]
            ),
            payload: ["a": "b"]
        )
        let action = ToastPushNotificationAction(
            ToastPushNotificationAction.Fields(
                actionIdentifier: "b1",
                categoryIdentifier: "c",
                button: button,
                message: message,
                userText: "yes"
            )
        )

        let read = try archived(action)
        let copy = try #require(action.copy() as? ToastPushNotificationAction)

        for other in [read, copy] {
            #expect(other.fields == action.fields)
            #expect(other.actionType == .reply && other.userText == "yes")
            #expect(other.message.richMessage?.media?.source == "a.mp4")
            #expect(other.button.submit == "Send")
        }
    }

    @Test("Every model class can be archived") func archivesModels() throws {
        let configuration = ToastPushConfiguration(appKey: "key")
        configuration.timezone = "Asia/Seoul"
        configuration.sandbox = true
        #expect(try archived(configuration).fields == configuration.fields)
        let options = ToastNotificationOptions()
        options.foregroundEnabled = true
        #expect(try archived(options).fields == options.fields)
        let agreement = ToastPushAgreement(allowNotifications: true)
        agreement.allowAdvertisements = true
        #expect(try archived(agreement).consent == agreement.consent)
        let info = ToastPushTokenInfo(Sample.tokenInfo)
        #expect(try archived(info).fields == info.fields)
    }

    @Test("Copies of mutable models are independent") func copiesAreIndependent() throws {
        let configuration = ToastPushConfiguration.configuration(appKey: "key")
        let copy = try #require(configuration.copy() as? ToastPushConfiguration)
        configuration.sandbox = true
        configuration.countryCode = "KR"

        #expect(!copy.sandbox)
        #expect(copy.fields.countryCode == nil)
        let agreement = ToastPushAgreement.agreement(allowNotifications: true)
        let copied = try #require(agreement.copy() as? ToastPushAgreement)
        agreement.allowAdvertisements = true
        #expect(!copied.allowAdvertisements && copied.allowNotifications)
    }

    @Test("A registration's sandbox can be set, in a copy too, and its text has it") func settableSandbox() throws {
        let info = ToastPushTokenInfo(Sample.tokenInfo)
        let copy = try #require(info.copy() as? ToastPushTokenInfo)
        copy.isSandbox.toggle()

        #expect(copy.sandbox != info.sandbox && copy.fields.sandbox == copy.sandbox)
        #expect(copy.description.hasSuffix("sandbox: \(copy.sandbox))"))
        #expect(try archived(copy).sandbox == copy.sandbox)
    }

    @Test("T-102 by default nothing in the foreground, badge and sound")
    func defaults() {
        let options = ToastNotificationOptions()
        #expect(!options.foregroundEnabled && options.badgeEnabled && options.soundEnabled)
        let agreement = ToastPushAgreement(allowNotifications: true)
        #expect(!agreement.allowAdvertisements && !agreement.allowNightAdvertisements)
    }

    @Test("T-92 updateDateTime is ISO 8601 with the offset of the device's zone")
    func time() throws {
        let time = try #require(Timestamp("2026-11-21T12:00:00Z"))
        let seoul = try #require(TimeZone(identifier: "Asia/Seoul"))
        #expect(ToastPushTokenInfo.text(time, in: seoul) == "2026-11-21T21:00:00.000+09:00")
    }

    private func archived<Model: NSObject & NSSecureCoding>(_ model: Model) throws -> Model {
        let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Model.self, from: data))
    }
}

enum Sample {
    static let tokenInfo = ToastPushTokenInfo.Fields(
        userID: "u",
        deviceToken: "00",
        countryCode: "JP",
        languageCode: "ja",
        pushType: .APNS,
        consent: Consent(notifications: true),
        timezone: "Asia/Tokyo",
        updateDateTime: "2026-11-21T21:00:00.000+09:00",
        sandbox: false
    )
}
