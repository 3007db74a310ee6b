import CarillonOperatorModel

/// A step that has only what is around it.
struct PlainStepView: PageView {
    static let template = "composer-plain"

    let shell: ComposerShell

    var heading: String { shell.heading }
}
