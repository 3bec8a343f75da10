// GUI thread. One sample in a window of its own, at its own size.
#pragma once

#include "ui/data/preview_source.h"

#include <QDialog>

namespace athanor {

class Theme;

class SampleDialog : public QDialog {
    Q_OBJECT
public:
    SampleDialog(const Theme& theme, const FullSample& sample, QWidget* parent = nullptr);
};

/// The text, and the tokens as words with their numbers; unknown ones marked, padding dimmed.
QString tokensHtml(const Theme& theme, const FullSample& sample);

} // namespace athanor
