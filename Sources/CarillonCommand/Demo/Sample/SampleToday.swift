#if os(Linux)
import CarillonModel
import CarillonOperatorModel
import Foundation

/// What an API client adds to the sample App while the server runs, so that the audit log has something to show too.
struct SampleToday: Sendable {
    private struct Made: Decodable {
        var id: String
    }

    let api: OperatorAPI
    let app: AppID
    let devices: [DeviceID]

    /// Makes tags, templates and the rest, and Campaigns in the states that the past has none of.
    ///
    /// - Throws: What a request throws.
    func make() async throws {
        try await makePeople()
        try await makeContent()
        try await makeTestDevices()
        try await makeCampaigns()
    }

    // MARK: - Private

    private func makePeople() async throws {
        let culture = try await post("tags", #"{"name": "Culture"}"#)
        let traffic = try await post("tags", #"{"name": "Traffic"}"#)
        for reader in 0..<40 {
            let tag = reader.isMultiple(of: 3) ? traffic : culture
            _ = try await send("POST", "users/reader-\(reader)/tags", #"{"tags": ["\#(tag)"]}"#)
        }
        _ = try await post("audiences", #"{"name": "Readers in Korea", "rule": "country = KR"}"#)
        for (dimension, label, title) in [
            ("district", "north", "North"), ("district", "harbour", "Harbour"), ("interest", "music", "Music"),
            ("interest", "art", "Art"),
        ] {
            let body = #"{"dimension": "\#(dimension)", "label": "\#(label)", "title": "\#(title)"}"#
            _ = try await send("POST", "categories", body)
        }
    }

    private func makeContent() async throws {
        let message = #"{"content": {"default": {"title": "This weekend", "body": "What is on in the city."}}}"#
        _ = try await post("templates", #"{"name": "Weekend", "message": \#(message)}"#)
        let fields = """
            [{"name": "id", "type": "text"}, \
            {"name": "name", "type": "text", "isRequired": true, "isSearchable": true}, \
            {"name": "kind", "type": "text"}, \
            {"name": "position", "type": "position"}]
            """
        let table = #"{"name": "places", "key": "id", "fields": \#(fields)}"#
        let set = #"{"version": 1, "title": "Places", "tables": [\#(table)]}"#
        _ = try await send("PUT", "content-sets/places", set)
        _ = try await api.call(
            "POST",
            "v1/content-sets/places/imports",
            ["app": app.description, "format": "csv"],
            body: Data(SampleContent.rows.utf8),
            contentType: "text/csv"
        )
    }

    private func makeTestDevices() async throws {
        let phones = devices.suffix(2)
        for (number, device) in phones.enumerated() {
            let body = #"{"device": "\#(device)", "name": "Office phone \#(number + 1)", "owner": "Editors"}"#
            _ = try await send("POST", "test-devices", body)
        }
    }

    /// The last one waits for a second person: the rule is set before it.
    private func makeCampaigns() async throws {
        let key = try await post("statistics-ids", #"{"name": "Autumn"}"#)
        let today = try await campaign(
            "Tram 2",
            "Tram 2 runs again",
            "Every ten minutes until midnight.",
            #""statisticsID": "\#(key)""#
        )
        try await finish(today)
        // It goes on for the time that somebody looks at it.
        _ = try await campaign(
            "Boat times",
            "Boats run late",
            "The last one leaves at eleven.",
            #""pace": {"over": 3600}"#
        )
        let draft = #""draft": true"#
        let japan = try await post("audiences", #"{"name": "Readers in Japan", "rule": "country = JP"}"#)
        let saved = #"{"saved": "\#(japan)"}"#
        _ = try await campaign("Opening days", "Open on Monday", "The museum is open on the holiday.", draft, to: saved)
        let later = Timestamp(Date().addingTimeInterval(5 * 86_400))
        _ = try await campaign("Market", "Farmers' market", "On Friday from eight.", #""sendAt": "\#(later)""#)
        let guards = #"{"sendGuards": {"approveAbove": 100, "appliesToKeys": true}}"#
        _ = try await api.call("PATCH", "v1/apps/\(app)", body: Data(guards.utf8))
        _ = try await campaign("Parade", "The parade begins", "Follow it along the river.")
    }

    private func campaign(
        _ name: String,
        _ title: String,
        _ body: String,
        _ more: String? = nil,
        to audience: String = #"{"all": true}"#
    ) async throws -> String {
        let message = #"{"content": {"default": {"title": "\#(title)", "body": "\#(body)"}}}"#
        let rest = more.map { ", " + $0 } ?? ""
        let text = #"{"name": "\#(name)", "audience": \#(audience), "message": \#(message)\#(rest)}"#
        return try await post("campaigns", text)
    }

    private func finish(_ campaign: String) async throws {
        for _ in 0..<200 {
            let now: Campaign = try await api.get("v1/campaigns/\(campaign)")
            guard now.state == .sending else { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func post(_ path: String, _ body: String) async throws -> String {
        try JSONDecoder().decode(Made.self, from: try await send("POST", path, body)).id
    }

    private func send(_ method: String, _ path: String, _ body: String) async throws -> Data {
        try await api.call(method, "v1/" + path, ["app": app.description], body: Data(body.utf8))
    }
}
#endif
