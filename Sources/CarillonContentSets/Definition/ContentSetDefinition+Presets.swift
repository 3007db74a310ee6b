/// Definitions for formats whose tables have fixed names.
extension ContentSetDefinition {
    /// A definition to begin with, by the name of a preset.
    ///
    /// - Parameter name: `culture` for events of the Ministry of Culture, `transit` for GTFS and TDX.
    /// - Returns: `nil` when there is no preset of the name.
    package static func preset(_ name: String) -> ContentSetDefinition? {
        switch name {
        case "culture": culture
        case "transit": transit
        default: nil
        }
    }

    package static let presetNames = ["culture", "transit"]

    /// Events: a row for each session, those of an event together, ordered by its first session.
    private static var culture: ContentSetDefinition {
        let fields = [
            ContentField("id", .text), ContentField("event", .text, isRequired: true, isIndexed: true),
            ContentField("session", .integer, isRequired: true),
            ContentField("category", .text, isIndexed: true, maximumLength: 20),
            ContentField("title", .text, isRequired: true, isSearchable: true, maximumLength: 500),
            ContentField("startsAt", .time), ContentField("endsAt", .time), ContentField("firstAt", .time),
            ContentField("startDate", .text, maximumLength: 10), ContentField("endDate", .text, maximumLength: 10),
            ContentField("city", .text, isIndexed: true, maximumLength: 20),
            ContentField("place", .text, isSearchable: true, maximumLength: 500),
            ContentField("address", .text, isSearchable: true, maximumLength: 500),
            ContentField("position", .position), ContentField("price", .text),
            ContentField("isFree", .boolean, isIndexed: true),
            ContentField("description", .text, isSearchable: true, maximumLength: 20_000), ContentField("image", .url),
            ContentField("ticketURL", .url), ContentField("officialURL", .url),
            ContentField("source", .text, maximumLength: 500),
            ContentField("organizer", .text, isSearchable: true, maximumLength: 1_000),
            ContentField("performer", .text, isSearchable: true), ContentField("discount", .text),
        ]
        return ContentSetDefinition(
            title: "Arts events",
            timeZone: "Asia/Taipei",
            language: "zh-Hant",
            tables: [ContentTable("events", key: "id", order: ["firstAt", "event", "startsAt", "session"], fields)]
        )
    }

    private static var transit: ContentSetDefinition {
        let stops = [
            ContentField("id", .text), ContentField("code", .text, isIndexed: true, maximumLength: 100),
            ContentField("name", .text, isRequired: true, isSearchable: true, maximumLength: 500),
            ContentField("city", .text, isIndexed: true, maximumLength: 100),
            ContentField("address", .text, maximumLength: 500), ContentField("position", .position),
            ContentField("routes", .list, isIndexed: true),
        ]
        let routes = [
            ContentField("id", .text),
            ContentField("name", .text, isRequired: true, isSearchable: true, maximumLength: 500),
            ContentField("city", .text, isIndexed: true, maximumLength: 100),
            ContentField("description", .text, isSearchable: true, maximumLength: 1_000),
            ContentField("timetable", .json),
        ]
        return ContentSetDefinition(
            title: "City buses",
            timeZone: "Asia/Taipei",
            language: "zh-Hant",
            tables: [
                ContentTable("stops", key: "id", stops), ContentTable("routes", key: "id", order: ["name"], routes),
            ]
        )
    }
}
