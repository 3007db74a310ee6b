/// A text that a Device reports about itself: the only place that has its names and its limit.
///
/// Decoding, validation, changes, and the import and export of Devices go through ``all``.
package struct DeviceField: Sendable {
    /// A class and a marker protocol: unlike a protocol with type arguments, it needs nothing of the runtime.
    package typealias Place<Root, Value> = any (WritableKeyPath<Root, Value> & Sendable)

    /// The name in JSON.
    package let name: StaticString
    /// The name in a CSV file, such as `os_version`.
    package let column: String
    /// The lengths that are allowed, in characters.
    package let limit: TextLimit
    package let registration: Place<Registration, String?>
    package let record: Place<DeviceRecord, String?>
    let update: Place<RegistrationUpdate, RegistrationUpdate.Change<String>>
    let key: Registration.CodingKeys

    private init(
        _ name: StaticString,
        _ lengths: ClosedRange<Int>,
        _ key: Registration.CodingKeys,
        _ registration: Place<Registration, String?>,
        _ update: Place<RegistrationUpdate, RegistrationUpdate.Change<String>>,
        _ record: Place<DeviceRecord, String?>
    ) {
        self.name = name
        self.key = key
        limit = TextLimit(lengths)
        column = "\(name)".snakeCased
        self.registration = registration
        self.update = update
        self.record = record
    }

    /// Whether a text is within the limit.
    package func accepts(_ text: String) -> Bool { limit.problem(of: text) == nil }

    /// The tenant of the app.
    package static let tenant = DeviceField("tenant", 1...64, .tenant, \.tenant, \.tenant, \.tenant)

    /// What the system reports of the phone and the app.
    package static let facts = [
        DeviceField("language", 1...35, .language, \.language, \.language, \.language),
        DeviceField("country", 2...3, .country, \.country, \.country, \.country),
        DeviceField("timeZone", 1...64, .timeZone, \.timeZone, \.timeZone, \.timeZone),
        DeviceField("appVersion", 1...64, .appVersion, \.appVersion, \.appVersion, \.appVersion),
        DeviceField("osVersion", 1...64, .osVersion, \.osVersion, \.osVersion, \.osVersion),
        DeviceField("model", 1...64, .model, \.model, \.model, \.model),
        DeviceField("sdkVersion", 1...64, .sdkVersion, \.sdkVersion, \.sdkVersion, \.sdkVersion),
    ]

    /// All fields.
    package static let all = [tenant] + facts
}
