import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes

/// Who may do what somebody was refused.
extension Trouble {
    /// Operators of which a page of a refusal names at most some.
    private static let namedOperators = 10
    /// Operators that are looked at for it.
    private static let readOperators = 1_000

    /// What was refused, which role may, and who has it; empty when it is not about a role.
    ///
    /// Names are told only to who has a role in the same App, or everywhere for what concerns the server: others do not
    /// learn who works here.
    ///
    /// - Parameters:
    ///   - call: The refused request.
    ///   - look: The words of the page.
    ///   - operators: The service of Operators.
    /// - Returns: The facts; without names when they cannot be read.
    func facts(_ call: ConsoleCall, _ look: Look, _ operators: Operators) async -> [FactView] {
        guard let role else { return [] }
        let texts = look.texts
        let asked = "\(call.request.method.rawValue) \(Console.prefix)\(call.request.path)"
        var facts = [
            FactView(texts("trouble.asked"), code: asked),
            FactView(texts("trouble.needs"), texts.word("role", role.rawValue)),
        ]
        let app = call.parameters["app"].flatMap { AppID($0) }
        if let own = call.session?.role(in: app) {
            facts.append(FactView(texts("trouble.yours"), texts.word("role", own.rawValue)))
            let names = await Self.names(with: role, in: app, operators)
            if !names.isEmpty { facts.append(FactView(texts("trouble.who"), look.list(names))) }
        }
        return facts
    }

    /// The names of those who may.
    private static func names(with role: OperatorRole, in app: AppID?, _ operators: Operators) async -> [String] {
        var (names, after, seen): ([String], OperatorID?, Int) = ([], nil, 0)
        while names.count < namedOperators, seen < readOperators {
            guard let page = try? await operators.list(after: after, limit: 200) else { break }
            names += page.items.filter { $0.state == .active && ($0.roles.role(in: app).map { $0 >= role } ?? false) }
                .map(\.displayName)
            seen += page.items.count
            guard page.nextCursor != nil, let last = page.items.last else { break }
            after = last.id
        }
        return Array(names.prefix(namedOperators))
    }
}
