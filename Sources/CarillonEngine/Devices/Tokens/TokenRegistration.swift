import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel
import Crypto
import Foundation

/// A registration of a token by a caller without a Device secret, as services have it that keep tokens and not
/// Devices.
package struct TokenRegistration: Hashable, Sendable {
    package var token: DeviceToken
    /// Of notifications or of calls.
    package var pushType: PushType
    package var tenant: String?
    /// The phone's former token.
    package var oldToken: DeviceToken?
    /// The Device's id at the service, any text of at most 64 characters.
    package var vendorDeviceID: String?
    /// The person; `nil` for nobody.
    package var user: UserID?
    package var consent: Consent
    package var language: String?
    package var country: String?
    package var timeZone: String?
    /// The groups of the Device; the standard ones when `nil`.
    package var categories: DeviceCategories?
    package var location: DeviceLocation?

    package init(token: DeviceToken, pushType: PushType, user: UserID?, consent: Consent) {
        self.token = token
        self.pushType = pushType
        self.user = user
        self.consent = consent
    }

    /// The registration of a Device that has the token, if it is for notifications.
    var registration: Registration {
        var registration = Registration(consent: consent)
        if pushType.isVoIP {
            registration.pushType = pushType.isSandbox ? .apnsSandbox : .apns
        } else {
            (registration.token, registration.oldToken, registration.pushType) = (token, oldToken, pushType)
        }
        registration.user = user
        (registration.language, registration.country, registration.timeZone) = (language, country, timeZone)
        registration.tenant = tenant
        (registration.categories, registration.location) = (categories, location)
        return registration
    }

    /// The change of a Device that has other tokens: it keeps them, and its consent, which calls do not need.
    var update: RegistrationUpdate {
        var update = RegistrationUpdate()
        update.user = .set(user)
        (update.language, update.country, update.timeZone) = (.set(language), .set(country), .set(timeZone))
        return update
    }
}

extension DeviceID {
    /// The public id of a Device that another service knows.
    ///
    /// It is the service's own id where that is a UUID and the Device has no tenant; otherwise it is made of a hash, so
    /// that the same Device has the same id again (UUID version 8, RFC 9562).
    package init(vendorID: String, tenant: String?, app: AppID, api: VendorAPI) {
        if tenant == nil, let own = DeviceID(vendorID) {
            self = own
            return
        }
        let text = [app.description, api.rawValue, tenant ?? "", vendorID].map { "\($0.utf8.count):\($0)" }.joined()
        let digest = Array(text.utf8).withUnsafeBytes { SHA256.hash(data: $0) }
        var uuid = digest.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        uuid.6 = uuid.6 & 0x0F | 0x80
        uuid.8 = uuid.8 & 0x3F | 0x80
        self.init(rawValue: UUID(uuid: uuid))
    }
}
