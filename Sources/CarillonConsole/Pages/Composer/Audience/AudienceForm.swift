import CarillonModel
import CarillonOperatorModel

/// The form of the step Audience.
enum AudienceForm {
    /// Whom a Campaign is for.
    enum Who: String, Hashable, Sendable, CaseIterable {
        case everyone, saved, rule, text, users, user
    }

    /// The values of a form for an Audience.
    static func fields(of audience: Audience, lacks: Bool) -> FormFields {
        var fields: [(name: String, value: String)] = []
        var rows = RuleRows()
        switch audience {
        case _ where lacks: fields.append(("who", ""))
        case .all: fields.append(("who", Who.everyone.rawValue))
        case .saved(let id): fields += [("who", Who.saved.rawValue), ("saved", id.description)]
        case .rule(let rule):
            if let found = RuleRows(rule) {
                rows = found
                fields.append(("who", Who.rule.rawValue))
            } else {
                fields.append(("who", Who.text.rawValue))
            }
            fields.append(("text", rule.text))
        case .users(let users) where users.count == 1:
            fields += [("who", Who.user.rawValue), ("user", users[0].rawValue)]
        case .users(let users):
            fields += [("who", Who.users.rawValue), ("list", users.map(\.rawValue).joined(separator: "\n"))]
        case .devices, .redacted: fields.append(("who", ""))
        }
        return FormFields(fields + rows.fields)
    }

    /// The Audience of a form.
    ///
    /// - Throws: ``FormProblems``.
    static func audience(_ form: FormFields, _ texts: Texts) throws -> Audience {
        switch form["who"].flatMap(Who.init(rawValue:)) {
        case .everyone: return .all
        case .saved:
            guard let id = AudienceID(form.text("saved")) else { throw FormProblems("saved", texts("target.choose")) }
            return .saved(id)
        case .rule:
            return .rule(try RuleRows(form).rule(texts("target.badValue"), missing: texts("target.noRule")))
        case .text:
            do {
                return .rule(try AudienceRule(text: form.text("text")))
            } catch let error {
                let place = ["line": String(error.line), "column": String(error.column)]
                throw FormProblems("text", texts("target.badText", place))
            }
        case .users:
            let list = PastedUsers(form.text("list"), limit: Audience.maximumListCount)
            guard !list.users.isEmpty else { throw FormProblems("list", texts("target.noUsers")) }
            return .users(list.users)
        case .user:
            guard let user = UserID(rawValue: form.text("user").trimmed) else {
                throw FormProblems("user", texts("target.noUsers"))
            }
            return .users([user])
        case nil: throw FormProblems("who", texts("target.choose"))
        }
    }

    /// Adds and removes rows, as a button says; `nil` for other buttons.
    static func changed(_ form: FormFields) -> FormFields? {
        guard let button = form["do"] else { return nil }
        var rows = RuleRows(form)
        let parts = button.split(separator: ":").map(String.init)
        switch parts.first {
        case "add-row":
            if parts.last == "x" {
                if rows.exclusions.count < RuleRows.maximumRows { rows.exclusions.append(RuleRow()) }
            } else if let group = parts.last.flatMap({ Int($0.dropFirst()) }), rows.groups.indices.contains(group),
                rows.groups[group].rows.count < RuleRows.maximumRows
            {
                rows.groups[group].rows.append(RuleRow())
            }
        case "add-group": if rows.groups.count < RuleRows.maximumGroups { rows.groups.append(.init()) }
        case "remove":
            let place = (parts.last ?? "").split(separator: ".").map(String.init)
            guard place.count == 2, let row = Int(place[1]) else { return form }
            if place[0] == "x" {
                if rows.exclusions.indices.contains(row) { rows.exclusions.remove(at: row) }
            } else if let group = Int(place[0].dropFirst()), rows.groups.indices.contains(group),
                rows.groups[group].rows.indices.contains(row)
            {
                rows.groups[group].rows.remove(at: row)
                if rows.groups[group].rows.isEmpty { rows.groups.remove(at: group) }
            }
        case "estimate": return form
        default: return nil
        }
        let others = form.all.filter { !$0.name.hasPrefix("g") && !$0.name.hasPrefix("x.") && $0.name != "outer" }
        return FormFields(others + rows.fields)
    }
}
