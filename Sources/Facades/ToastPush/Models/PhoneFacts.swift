#if canImport(UIKit)
import Carillon
import Foundation

/// The phone's own values, where the app sets none.
enum PhoneFacts {
    static var country: String { DeviceFacts.current(pushType: .apns).country ?? "" }
    static var language: String { DeviceFacts.current(pushType: .apns).language ?? "" }
    static var timeZone: String { TimeZone.current.identifier }

    /// The largest time zone of a country, for an app that sets its country and no zone.
    ///
    /// The vendor's servers know one zone a country. The list has the countries of the vendor's service, and the most
    /// populous others; for all others the phone's own zone is used.
    static func mainTimeZone(of country: String) -> String? { mainTimeZones[country.uppercased()] }

    private static let mainTimeZones = [
        "AE": "Asia/Dubai", "AR": "America/Argentina/Buenos_Aires", "AT": "Europe/Vienna", "AU": "Australia/Sydney",
        "BD": "Asia/Dhaka", "BE": "Europe/Brussels", "BR": "America/Sao_Paulo", "CA": "America/Toronto",
        "CH": "Europe/Zurich", "CL": "America/Santiago", "CN": "Asia/Shanghai", "CO": "America/Bogota",
        "CZ": "Europe/Prague", "DE": "Europe/Berlin", "DK": "Europe/Copenhagen", "EG": "Africa/Cairo",
        "ES": "Europe/Madrid", "FI": "Europe/Helsinki", "FR": "Europe/Paris", "GB": "Europe/London",
        "GR": "Europe/Athens", "HK": "Asia/Hong_Kong", "HU": "Europe/Budapest", "ID": "Asia/Jakarta",
        "IE": "Europe/Dublin", "IL": "Asia/Jerusalem", "IN": "Asia/Kolkata", "IT": "Europe/Rome", "JP": "Asia/Tokyo",
        "KH": "Asia/Phnom_Penh", "KR": "Asia/Seoul", "LA": "Asia/Vientiane", "MM": "Asia/Yangon", "MO": "Asia/Macau",
        "MN": "Asia/Ulaanbaatar", "MX": "America/Mexico_City", "MY": "Asia/Kuala_Lumpur", "NG": "Africa/Lagos",
        "NL": "Europe/Amsterdam", "NO": "Europe/Oslo", "NP": "Asia/Kathmandu", "NZ": "Pacific/Auckland",
        "PE": "America/Lima", "PH": "Asia/Manila", "PK": "Asia/Karachi", "PL": "Europe/Warsaw", "PT": "Europe/Lisbon",
        "RO": "Europe/Bucharest", "RU": "Europe/Moscow", "SA": "Asia/Riyadh", "SE": "Europe/Stockholm",
        "SG": "Asia/Singapore", "TH": "Asia/Bangkok", "TR": "Europe/Istanbul", "TW": "Asia/Taipei",
        "UA": "Europe/Kyiv", "US": "America/New_York", "VN": "Asia/Ho_Chi_Minh", "ZA": "Africa/Johannesburg",
    ]
}
#endif
