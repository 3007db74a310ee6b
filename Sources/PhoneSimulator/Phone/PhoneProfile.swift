import Carillon
import UserNotifications

/// The properties of a simulated phone.
package struct PhoneProfile: Hashable, Sendable {
    package var language: String
    package var country: String
    package var timeZone: String
    package var systemVersion: String
    package var model: String

    package init(language: String, country: String, timeZone: String, systemVersion: String, model: String) {
        self.language = language
        self.country = country
        self.timeZone = timeZone
        self.systemVersion = systemVersion
        self.model = model
    }

    private static let places = [
        ("en-US", "US", "America/New_York"), ("en-US", "US", "America/Los_Angeles"), ("en-GB", "GB", "Europe/London"),
        ("ja-JP", "JP", "Asia/Tokyo"), ("ko-KR", "KR", "Asia/Seoul"), ("zh-Hant-TW", "TW", "Asia/Taipei"),
        ("de-DE", "DE", "Europe/Berlin"), ("fr-FR", "FR", "Europe/Paris"), ("es-MX", "MX", "America/Mexico_City"),
        ("pt-BR", "BR", "America/Sao_Paulo"),
    ]
    private static let systems = ["15.8", "16.7", "17.4", "18.1"]
    private static let models = ["iPhone11,8", "iPhone12,1", "iPhone13,2", "iPhone14,5", "iPhone15,3", "iPhone16,1"]

    /// One of 240 profiles: neighbours differ in language and time zone.
    ///
    /// - Parameter number: The phone's number, from 0.
    /// - Returns: The same profile for the same number.
    package static func numbered(_ number: Int) -> PhoneProfile {
        let place = places[number % places.count]
        let round = number / places.count
        return PhoneProfile(
            language: place.0,
            country: place.1,
            timeZone: place.2,
            systemVersion: systems[round % systems.count],
            model: models[round / systems.count % models.count]
        )
    }

    func facts(pushType: PushType) -> DeviceFacts {
        var facts = DeviceFacts(pushType: pushType)
        facts.language = language
        facts.country = country
        facts.timeZone = timeZone
        facts.appVersion = "1.0"
        facts.osVersion = "iOS " + systemVersion
        facts.model = model
        return facts
    }
}
