import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@testable import CarillonConsole

/// Walks the API's description of a Campaign against the fields of the composer.
@Suite(.timeLimit(.minutes(2)))
struct ComposerFieldsTests {
    /// Where the composer has a property.
    private enum Place {
        /// A field of a step, by the beginning of its name.
        case field(String, String)
        /// There is no field, for a reason.
        case without(String)
    }

    private static let request: [String: Place] = [
        "name": .field("audience", "name"),
        "audience": .field("audience", "who"),
        "recipients": .without("values for single Users come with the API's request"),
        "template": .without("a template is copied into the draft, on the page of templates"),
        "values": .without("values of a template are written into its copy"),
        "message": .field("content", "message.content.default.title"),
        "isAd": .field("delivery", "kind"), "channel": .field("delivery", "kind"),
        "adWording": .field("delivery", "contact"), "variants": .field("delivery", "variantName1"),
        "holdout": .field("delivery", "holdout"), "sendAt": .field("delivery", "when"),
        "sendsLate": .without("the console asks for a time that is still to come"),
        "draft": .without("everything is a draft until it is confirmed"),
        "retryFor": .field("delivery", "retryFor"), "schedule": .field("delivery", "when"),
        "pace": .field("delivery", "pace"), "validFor": .field("delivery", "validFor"),
        "nightPolicy": .field("delivery", "nightPolicy"), "isTransactional": .field("delivery", "isTransactional"),
        "statisticsID": .field("delivery", "statisticsID"),
        // Of a change alone.
        "version": .field("delivery", "version"),
    ]

    private static let others: [String: [String: Place]] = [
        "AdWording": [
            "contact": .field("delivery", "contact"), "removeGuide": .field("delivery", "removeGuide"),
            "position": .field("delivery", "position"),
        ],
        "Schedule": [
            "at": .field("delivery", "moreTimes"), "repeat": .field("delivery", "repeat"),
            "weekdays": .field("delivery", "weekday"), "days": .field("delivery", "days"),
            "from": .field("delivery", "from"), "until": .field("delivery", "until"),
            "times": .field("delivery", "times"), "zone": .field("delivery", "zone"),
            "local": .field("delivery", "repeatLocal"), "passed": .field("delivery", "passed"),
        ],
        "Pace": [
            "perMinute": .field("delivery", "perMinute"), "over": .field("delivery", "over"),
            "groups": .field("delivery", "groups"), "every": .field("delivery", "every"),
        ],
        "Variants": [
            "name": .field("delivery", "variantName1"), "weight": .field("delivery", "variantShare1"),
            "content": .field("delivery", "variantTitle1.default"),
        ],
    ]

    @Test("Every property of a Campaign in the API has a field in the composer, or a reason why not")
    func hasAllFields() async throws {
        let description = try OpenAPIText()
        try await PageWorld.run { world in
            let app = try await world.makeApp()
            let author = CampaignAuthor.operator(try #require(OperatorID("opr_000000000001")))
            let draft = try await world.engine.campaigns.newDraft(app: app, name: "All", by: author)
            var update = CampaignUpdate()
            update.message = Message(content: ["default": LocalizedContent(title: "Title", body: "Body")])
            _ = try await world.engine.campaigns.saveDraft(
                draft.id,
                within: app,
                update,
                version: draft.version,
                by: author
            )
            var pages: [String: String] = [:]
            for step in ["audience", "content", "delivery"] {
                pages[step] = try await world.get("/apps/\(app)/campaigns/\(draft.id)/edit/\(step)").text
            }
            func check(_ schema: String, _ places: [String: Place], _ properties: [String]) {
                #expect(!properties.isEmpty, "\(schema)")
                for property in properties {
                    switch places[property] {
                    case .field(let step, let name):
                        #expect(
                            pages[step]?.contains("name=\"\(name)\"") == true,
                            "\(schema).\(property): \(step) \(name)"
                        )
                    case .without(let reason): #expect(!reason.isEmpty)
                    case nil: Issue.record("\(schema).\(property) is in no step of the composer.")
                    }
                }
                for name in places.keys where !properties.contains(name) {
                    Issue.record("\(schema) has no property \(name).")
                }
            }
            let update1 = try description.properties(of: "CampaignUpdate")
            check(
                "CampaignRequest and CampaignUpdate",
                Self.request,
                try description.properties(of: "CampaignRequest") + update1
            )
            for (schema, places) in Self.others { check(schema, places, try description.properties(of: schema)) }
            // The step Content names its fields as the API does.
            for property in try description.properties(of: "Message") where property != "content" {
                #expect(pages["content"]?.contains("name=\"message.\(property)\"") == true, "Message.\(property)")
            }
            for property in try description.properties(of: "Content") {
                let field = "name=\"message.content.default.\(property)"
                #expect(pages["content"]?.contains(field) == true, "Content.\(property)")
            }
            for (schema, field) in [("Button", "buttons.0"), ("Media", "media")] {
                for property in try description.properties(of: schema) {
                    let name = "name=\"message.content.default.\(field).\(property)\""
                    #expect(pages["content"]?.contains(name) == true, "\(schema).\(property)")
                }
            }
        }
    }
}

/// The server's description of its API, read as text: two spaces a level.
private struct OpenAPIText {
    private let lines: [Substring]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Sources/CarillonServer/Resources/openapi.yaml")
        lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The names of the properties of a schema, or of the items of one that is a list.
    func properties(of schema: String) throws -> [String] {
        let start = try #require(lines.firstIndex { $0 == "    \(schema):" }, "\(schema)")
        let body = lines[(start + 1)...].prefix { $0.hasPrefix("      ") || $0.allSatisfy(\.isWhitespace) }
        let index = try #require(body.firstIndex { $0.hasSuffix(" properties:") }, "\(schema)")
        let depth = lines[index].prefix { $0 == " " }.count
        let inside = body[(index + 1)...].prefix { $0.prefix { $0 == " " }.count > depth }
        return inside.filter { $0.prefix { $0 == " " }.count == depth + 2 }
            .compactMap { line in
                let name = line.drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber }
                return line.contains(":") && !name.isEmpty ? String(name) : nil
            }
    }
}
