import CarillonEngine
import CarillonOperatorModel
import CarillonSQL

/// What the facets beside a tag must be so that rules can hold for the Device.
///
/// It leaves out most Devices before their rows are looked up, which is what a read costs; the rules are asked of the
/// others all the same.
struct FacetCondition {
    private var consent: Int64 = 0
    /// By the place of the letters: those of which a Device must have one.
    private var letters: [(shift: Int64, any: [Int64])] = []

    /// What rules demand that must all hold.
    init(_ rules: [AudienceRule]) {
        for case .term(let term) in rules {
            switch term {
            case .flag(.notifications): consent |= Int64(ConsentBits.notifications.rawValue)
            case .flag(.ads): consent |= Int64(ConsentBits.ads.rawValue)
            case .flag(.nightAds): consent |= Int64(ConsentBits.nightAds.rawValue)
            case .text(.language, let match): demand(match, DeviceFacets.languageShift)
            case .text(.country, let match): demand(match, DeviceFacets.countryShift)
            default: continue
            }
        }
    }

    private mutating func demand(_ match: AudienceMatch<String>, _ shift: Int64) {
        guard !match.isNegated else { return }
        let any = Set(match.values.map(DeviceFacets.letters))
        // A value that does not begin with two letters tells nothing of those of a Device.
        guard !any.contains(nil) else { return }
        letters.append((shift, any.compactMap(\.self).sorted()))
    }

    /// Adds it to the conditions of `device_tags`.
    func add(to sql: inout ComposedSQL) {
        if consent != 0 {
            sql.append(" AND (facets & ")
            sql.append(number: Int(consent))
            sql.append(") = ")
            sql.append(number: Int(consent))
        }
        for (shift, any) in letters {
            sql.append(" AND ((facets >> ")
            sql.append(number: Int(shift))
            sql.append(") & ")
            sql.append(number: Int(DeviceFacets.lettersMask))
            sql.append(") IN (")
            sql.bind(list: any.map { .integer($0) })
            sql.append(")")
        }
    }
}
