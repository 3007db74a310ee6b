import Foundation

/// Valid values of fields within objects and lists, which stand for invalid ones while further errors are looked for.
///
/// Only fields need one whose removal would be an error of its own, or change what their neighbours may be.
enum NestedSamples {
    /// Ends of paths, where `*` is any name and `#` any position, with a value as JSON, in which `#` is the position.
    private static let texts: KeyValuePairs<String, String> = [
        "and.#": #"{"tagName":"x"}"#, "or.#": #"{"tagName":"x"}"#, "not": #"{"tagName":"x"}"#,
        "adWording.contact": #""1""#, "adWording.removeGuide": #""x""#,
        "at.#": #""2000-01-01T00:00""#,
        "audience.users.#": #""x#""#, "audience.devices.#": #""00000000-0000-0000-0000-000000000000""#,
        "buttons.#.id": #""x#""#, "buttons.#.title": #""x""#, "buttons.#.kind": #""reply""#,
        "categories.#": #""x#""#, "categories.*.#": #""x#""#,
        "consent.notifications": "false",
        "content.*.title": #""x""#, "content.*.body": #""x""#, "content.*.link": #""https://example.com""#,
        "days.#": "1",
        "frequencyCaps.#.limit": "1", "frequencyCaps.#.period": "60",
        "keys.#": #""appKey""#,
        "location.latitude": "0", "location.longitude": "0", "location.at": #""2000-01-01T00:00:00Z""#,
        "media.source": #""https://example.com/x.png""#, "media.kind": #""image""#,
        "occurrences.#": #""occ_000000000000""#,
        "quietHours.from": #""00:00""#, "quietHours.until": #""00:01""#,
        "recipients.#.user": #""x#""#,
        "schedule.zone": #""UTC""#, "schedule.repeat": #""daily""#, "schedule.times": #"["00:00"]"#,
        "scopes.#": #""read""#, "tags.#": #""xxxxxxxx""#, "times.#": #""00:00""#,
        "tables.#": ##"{"name":"x#","key":"id","fields":[{"name":"id","type":"text"}]}"##, "tables.#.name": ##""x#""##,
        "fields.#": ##"{"name":"x#","type":"text"}"##, "fields.#.name": ##""x#""##, "fields.#.type": #""text""#,
        "topics.#": #""event.opened""#,
        "userProof.expires": "0", "userProof.signature": "\"\(String(repeating: "x", count: 43))\"",
        "users.#": #""x#""#,
        "variants.#.name": #""x#""#,
        "weekdays.#": #""monday""#,
        "within.latitude": "0", "within.longitude": "0", "within.radius": "1",
    ]

    private static let samples = texts.map { (path: $0.key.split(separator: "."), json: $0.value) }

    /// A valid value of the field at a path; `nil` when it may be removed, or there is none.
    static func value(at path: [String]) -> Any? {
        guard let sample = samples.first(where: { matches($0.path, path) }) else { return nil }
        let position = path.compactMap(Int.init).map(String.init).joined(separator: "_")
        let json = sample.json.replacing("#", with: position)
        return try? JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    }

    private static func matches(_ end: [Substring], _ path: [String]) -> Bool {
        path.count >= end.count
            && zip(end, path.suffix(end.count)).allSatisfy { pattern, name in
                pattern == "*" || (pattern == "#" ? Int(name) != nil : pattern == name)
            }
    }
}
