#if canImport(UIKit)
import Carillon
package import CarillonModel
import Foundation

extension ToastPushTokenInfo {
    /// Creates the result from a registration and the server's record, if it was queried.
    convenience init(
        _ registered: CarillonClient.Registered,
        record: DeviceRecord? = nil,
        pushType: ToastPushType = .APNS,
        deviceID: String
    ) {
        let registration = registered.registration
        self.init(
            Fields(
                userID: (record?.user ?? registration.user)?.rawValue ?? deviceID,
                deviceToken: registration.token?.hexadecimal ?? "",
                countryCode: (record?.country ?? registration.country) ?? "",
                languageCode: (record?.language ?? registration.language) ?? "",
                pushType: pushType,
                consent: record?.consentThatCounts ?? registration.consent,
                timezone: (record?.timeZone ?? registration.timeZone) ?? "",
                updateDateTime: Self.text(record?.registeredAt ?? registered.at),
                sandbox: registration.pushType.isSandbox
            )
        )
    }

    /// Creates the result from the registration of a VoIP token.
    package convenience init(_ registered: VoIPRegistration, _ record: VoIPRecord, of adapter: ToastPushAdapter) {
        let configuration = adapter.configuration
        self.init(
            Fields(
                userID: adapter.identity.userID ?? adapter.identity.deviceID,
                deviceToken: registered.token.hexadecimal,
                countryCode: configuration?.countryCode ?? PhoneFacts.country,
                languageCode: configuration?.languageCode ?? PhoneFacts.language,
                pushType: .voIP,
                consent: adapter.identity.consent,
                timezone: configuration?.timezone ?? PhoneFacts.timeZone,
                updateDateTime: Self.text(record.registeredAt),
                sandbox: record.pushType.isSandbox
            )
        )
    }

    /// ISO 8601 with the offset of the phone's time zone.
    static func text(_ time: Timestamp, in zone: TimeZone = .current) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.calendar = Calendar(identifier: .gregorian)
        format.timeZone = zone
        format.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSxxx"
        return format.string(from: time.date)
    }
}

extension DeviceRecord {
    /// The vendor reports consent to ads where its rules for ads do not cover the phone.
    fileprivate var consentThatCounts: Consent {
        adRuleApplies == false ? Consent(notifications: consent.notifications, ads: true, nightAds: true) : consent
    }
}
#endif
