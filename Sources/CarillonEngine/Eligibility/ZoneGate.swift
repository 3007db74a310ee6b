package import CarillonModel
import CarillonOperatorModel

/// Lets Devices of an Occurrence in local time pass whose own time has come, and notes when the others' comes.
///
/// It goes by when the Wave is due, not by a clock: whoever reads it, the same Devices pass.
package struct ZoneGate {
    private let local: OccurrenceRules.LocalTime
    private let waveDue: Timestamp
    private let zones: ZoneNights
    private var names = InternedTexts()
    /// By number of name; the first is of Devices without a zone.
    private var isOpen: [Bool?] = [nil]
    /// When Waves are needed for those who did not pass.
    package private(set) var later: Set<Timestamp> = []

    /// Makes the gate of a Wave; `nil` when all pass.
    package init?(_ rules: OccurrenceRules, waveDue: Timestamp, zones: ZoneNights) {
        guard let local = rules.local else { return nil }
        self.local = local
        self.waveDue = waveDue
        self.zones = zones
    }

    /// Whether Devices of a zone pass.
    ///
    /// - Parameter zone: What the Device calls its zone, in UTF-8; empty for none.
    /// - Returns: Whether they do.
    package mutating func opens(_ zone: UnsafeRawBufferPointer) -> Bool {
        let number = Int(names.number(of: zone))
        if number < isOpen.count, let known = isOpen[number] { return known }
        let due = zones.instant(of: local.wall, zone: names[UInt16(number)], or: local.zone) ?? waveDue
        if due > waveDue { later.insert(due) }
        while isOpen.count <= number { isOpen.append(nil) }
        isOpen[number] = due <= waveDue
        return due <= waveDue
    }
}
