import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What must be right before a message is saved.
enum ContentChecks {
    /// Reads the message of a form, and checks what the API checks only when it is sent, or not at all.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - channel: Which tokens the message addresses.
    ///   - adWording: What an ad carries.
    ///   - allowsValues: Whether places of a request's values may stay, as in a template.
    ///   - visit: The request.
    /// - Returns: The message.
    /// - Throws: ``FormProblems`` with a problem for each field.
    static func message(
        of form: ContentForm,
        channel: Campaign.Channel,
        adWording: AdWording?,
        allowsValues: Bool = false,
        _ visit: Visit
    ) async throws -> Message {
        let isJSON = form.fields["tab"] == "json"
        let read = isJSON ? ContentForm.read(json: form.fields.text("json")) : form.read()
        let message: Message
        switch read {
        case .success(let found): message = found
        case .failure(let errors):
            throw FormProblems(errors.all.map { problem($0, isJSON: isJSON, visit.look) })
        }
        var problems = bare(message, allowsValues: allowsValues, visit.look)
        problems += try await sizes(message, channel, adWording, visit)
        problems += try await images(message, visit)
        guard problems.isEmpty else {
            throw FormProblems(isJSON ? problems.map { FieldProblem("json", $0.text) } : problems)
        }
        return message
    }

    // MARK: - Private

    /// K-37: who has no value gets nothing, which nobody sees in the composer.
    private static func bare(_ message: Message, allowsValues: Bool, _ look: Look) -> [FieldProblem] {
        message.barePlaces.filter { !allowsValues || !$0.isOfRequest }.map { place in
            let name = place.language.map { LanguageName.words($0, look) } ?? look.texts("content.field.data")
            let field = place.language.map { "message.content.\($0).body" } ?? "message.data"
            return FieldProblem(
                field,
                look.texts("content.problem.variable", ["variable": place.variable, "language": name])
            )
        }
    }

    /// K-33: nothing that APNs refuses is saved, whatever the browser's meter said.
    private static func sizes(
        _ message: Message,
        _ channel: Campaign.Channel,
        _ adWording: AdWording?,
        _ visit: Visit
    ) async throws -> [FieldProblem] {
        let measure = try await visit.engine.campaigns.measure(
            message,
            channel: channel,
            adWording: adWording,
            app: try visit.app.id
        )
        return measure.languages.filter(\.isTooLarge).map { language in
            FieldProblem(
                language.language.map { "message.content.\($0).body" } ?? "message.data",
                visit.texts(
                    "content.problem.tooLarge",
                    [
                        "language": LanguageName.words(language.language, visit.look),
                        "bytes": visit.numbers.full(language.bytes), "limit": visit.numbers.full(language.limit),
                    ]
                )
            )
        }
    }

    /// K-36: the server looks at each image, by way of the guard that webhooks have.
    private static func images(_ message: Message, _ visit: Visit) async throws -> [FieldProblem] {
        let app = try visit.app.id
        var problems: [FieldProblem] = []
        for (tag, content) in message.content.sorted(by: { ContentForm.order($0.key, $1.key) }) {
            let media = content.media.flatMap { $0.kind == .image ? $0.source : nil }
            for (name, url) in [("image", content.image), ("media.source", media)] {
                // An address with places leads elsewhere for each Device; a name without a colon is a file of the app.
                guard let url, url.hasPrefix("https://"), message.isLiteral || !PersonalText.mayHavePlaces(url),
                    let key = await visit.images.find(url, of: app).problem
                else { continue }
                problems.append(FieldProblem("message.content.\(tag).\(name)", visit.texts(key)))
            }
        }
        return problems
    }

    /// A problem of the API in the page's language.
    static func problem(_ error: FieldError, isJSON: Bool, _ look: Look) -> FieldProblem {
        let texts = look.texts
        let name = error.field.split(separator: ".").last.map(String.init) ?? ""
        var words = texts.problem(error)
        if error.field == "json" {
            words = texts("content.problem.json")
        } else if words == texts("problem.other") {
            let specific = texts.word("content.problem", name)
            words = specific == name ? texts("content.problem.other", ["field": error.field]) : specific
        }
        return FieldProblem(isJSON ? "json" : error.field, words)
    }
}

extension Message.BarePlace {
    /// Whether the request that sends a template has the value.
    var isOfRequest: Bool { variable.hasPrefix("value.") || variable.hasPrefix("recipient.") }
}
